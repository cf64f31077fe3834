/* The page that asks for a room's code; also what a wrong one is told by. */
"use strict";
const about = held("state");
// …/hall/, wherever this page stands.
const hall = location.pathname.replace(/\/hall(\/.*)?$/, "/hall/");
speaks(byId("language"), () => {
  document.title = `${say("enter_title")} · Glassformer`;
  byId("title").textContent = say("enter_title");
  byId("about").textContent = say("enter_about");
  byId("label").textContent = `${say("code")} (${say("code_hint")})`;
  byId("enter").textContent = say("enter");
  byId("error").hidden = !about.error;
  byId("error").textContent = told(about.error);
});
byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const code = byId("code")
    .value.replace(/[^a-z0-9]/gi, "")
    .toUpperCase();
  if (code) location.href = `${hall}${code}`;
});
byId("code").focus();
