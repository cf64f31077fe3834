// plotly.js comes from the server once, whoever asks for it first: a chart, or the link to a page.
function chartLibrary(source) {
  if (window.Plotly) return Promise.resolve(window.Plotly);
  window.plotlyComing ??= new Promise((done, failed) => {
    const onerror = (event) => {
      window.plotlyComing = null;
      event.target.remove();
      failed(new Error(source));
    };
    document.head.append(
      make("script", { src: source, onload: () => done(window.Plotly), onerror }),
    );
  });
  return window.plotlyComing;
}
