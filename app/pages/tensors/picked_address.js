// Tells the tree which address is picked: so the tree's own data stays as it is, and is sent once.

export default component("", {
  mark(_, { address }) {
    window.pickedAddress = address;
    shownViews.get("address_tree")?.follow();
  },
});
