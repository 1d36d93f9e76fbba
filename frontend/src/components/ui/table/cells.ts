/** What each column is called, from the cells of a table's head; empty for those that screen readers alone are told. */
function namesOf(head: HTMLTableSectionElement | null): string[] {
  return [...(head?.rows[0]?.cells ?? [])].map((cell) =>
    cell.querySelector('.visually-hidden') ? '' : (cell.textContent ?? ''),
  );
}

/** Says in each cell what its column is called (`data-column`), for where a row is a card and the head is not seen. */
export function nameCells(table: HTMLTableElement): void {
  const names = namesOf(table.tHead);
  for (const body of table.tBodies) {
    let covered: number[] = []; // by column, how many more rows a cell above reaches into
    for (const row of body.rows) {
      const reaching = covered.map((rows) => Math.max(0, rows - 1));
      let column = 0;
      for (const cell of row.cells) {
        while ((covered[column] ?? 0) > 0) column += 1;
        const name = names[column] ?? '';
        if (cell.dataset.column !== name) cell.dataset.column = name;
        for (let at = column; at < column + cell.colSpan; at += 1) reaching[at] = cell.rowSpan - 1;
        column += cell.colSpan;
      }
      covered = reaching;
    }
  }
}
