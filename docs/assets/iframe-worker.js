// A page that is opened from a folder may start no worker: the search's runs in a frame, then.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.append(frame);
      const inner = (this.inner = frame.contentWindow);
      inner.postMessage = (data) => {
        const copy = structuredClone(data); // as between a page and a worker
        setTimeout(() => this.onmessage?.({ data: copy }));
      };
      this.loaded = new Promise((done, failed) => {
        const script = inner.document.createElement("script");
        script.src = url;
        script.onload = done;
        script.onerror = failed;
        inner.document.documentElement.append(script);
      });
      this.terminate = () => frame.remove();
    }

    postMessage(given) {
      const data = structuredClone(given);
      const said = () => this.inner.dispatchEvent(new MessageEvent("message", { data }));
      this.loaded.then(said, (error) => this.onerror?.(error));
    }
  };
}
