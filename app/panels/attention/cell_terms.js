// q · k of a clicked cell, from the queries and keys of its head: what figures.py of the Attention
// page draws (terms_figure), as soon as the cell is clicked.

function largestOf(values) {
  const most = Math.max(0, ...values.map(Math.abs).filter(Number.isFinite));
  return most || 1;
}

// The lines of the sum: [label, q, k, product], the last one for all smaller ones together.
function termRows(q, k, { by, most, rest }) {
  const terms = [...q].map((each, at) => [String(at + 1), each, k[at], Math.fround(each * k[at])]);
  if (by === "dimension") return terms;
  const order = terms.toSorted((one, other) => Math.abs(other[3]) - Math.abs(one[3]));
  if (terms.length <= most) return order;
  const others = order.splice(most - 1).reduce((sum, [, , , product]) => sum + product, 0);
  return [...order, [rest, NaN, NaN, others]];
}

// A copy of the figure of another cell.
function termsFigure(figure, q, k, given) {
  const { colours, digits } = given;
  const rows = termRows(q, k, given);
  const [cells, bars] = figure.data;
  const most = largestOf(rows.flatMap(([, ...pair]) => pair.slice(0, 2)));
  const ends = 2 * largestOf(rows.map(([, , , product]) => product));
  const say = (value) => written(value, 7);
  const line = ([label, one, other, product]) =>
    Number.isNaN(one)
      ? `${label}: ${say(product)}`
      : `${say(one)} × ${say(other)} = ${say(product)}`;
  const numbers = rows.map(([, one, other]) =>
    [one, other].map((value) => (Number.isNaN(value) ? "" : written(value, digits))),
  );
  const { tickvals } = figure.layout.yaxis;
  return {
    ...figure,
    data: [
      {
        ...cells,
        z: rows.map(([, ...pair]) =>
          pair.slice(0, 2).map((value) => (Number.isNaN(value) ? null : value)),
        ),
        zmin: -most,
        zmax: most,
        ...(cells.text ? { text: numbers } : {}),
      },
      {
        ...bars,
        x: rows.map(([, , , product]) => product),
        marker: {
          ...bars.marker,
          color: rows.map(([, , , product]) => colours[product >= 0 ? "key" : "query"]),
        },
        hovertext: rows.map(line),
        ...(bars.text ? { text: rows.map(([, , , product]) => written(product, digits)) } : {}),
      },
    ],
    layout: {
      ...figure.layout,
      xaxis2: { ...figure.layout.xaxis2, range: [-ends, ends] },
      yaxis: { ...figure.layout.yaxis, ticktext: tickvals.map((at) => rows[at][0]) },
    },
  };
}
