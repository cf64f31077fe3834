/* A sentence from the hall that the presenter has picked, on the screen of the scene in front.
 *
 * It is prepared unseen, as every scene; then its screen is like one that was touched: it stays
 * until the next step, or until S brings the scene back. */
"use strict";
const WITHOUT_TEXT = ["lab", "training"]; // pages: the sentence is then shown on Translate
const OF_TEXT = ["direction", "sentence", "text_pair"]; // of a link: they belong to its own text
let played = null; // { scene, number, text, seen }

/* Where a scene leads, with the sentence while that is prepared. */
function linkPlayed(scene) {
  const own = link(scene);
  if (!played || played.seen || played.scene !== scene) return own;
  const [page, query] = own.split("?"),
    asked = new URLSearchParams(query);
  for (const name of OF_TEXT) asked.delete(name);
  asked.set("text", played.text);
  return `${WITHOUT_TEXT.includes(page) ? "" : page}?${asked}`;
}

/* What the room says is played: a sentence, or the scene's own. */
function playAsTold() {
  const number = state?.played?.number ?? null;
  if (number === (played?.number ?? null)) return;
  if (number === null) return bringBack();
  explored(false);
  hide();
  played = { scene: pool.at, ...state.played, seen: false };
  for (const each of pool.frames) if (each.scene === pool.at) each.scene = null;
  pool.again();
  drawFoot();
}

/* The scene with its own sentence. */
function bringBack() {
  forgetPlayed();
  pool.again();
  drawFoot();
}

/* A frame that was prepared and never seen is no scene. */
function forgetPlayed() {
  if (played && !played.seen)
    for (const each of pool.frames) if (each.scene === played.scene) each.scene = null;
  played = null;
}

/* Another screen is in front: whether it shows a sentence of the hall, or the one before it did. */
let wasPlayed = false;
function playedIsSeen() {
  const { shown } = pool;
  if (played && !played.seen && shown.scene === played.scene) {
    played.seen = shown.touched = true;
    shown.played = played.text;
  }
  const is = Boolean(shown.played),
    differs = is || wasPlayed;
  wasPlayed = is;
  return differs;
}

/* What stands above such a screen: the texts of its scene have the numbers of another sentence. */
function playedTexts(scene) {
  const text = scene === seen() && pool?.shown?.played;
  const about = { [language]: say("present_played_text") };
  return text ? { title: { [language]: text }, text: about } : null;
}
