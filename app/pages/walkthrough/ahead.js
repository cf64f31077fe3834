// Takes what the server sends of the steps; draws nothing itself.

export default component("", {
  start: () => walk.enter(),
  mark(view, data) {
    walk.asks = view.trigger;
    walk.adopt(data);
  },
});
