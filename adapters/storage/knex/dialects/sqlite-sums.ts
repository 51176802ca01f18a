import type { SumRule } from './dialect.ts';

/** TEXT is summed in parts of twelve digits: each part is an exact integer for up to nine million rows. */
export function partsOf(column: string): readonly string[] {
  return [1, 2, 3, 4, 5, 6, 7].map((part) => `CAST(substr(${column}, ${-12 * part}, 12) AS INTEGER)`);
}

/** Subtracts the old row from its sums and adds the new row to its own. */
export function keepSumsSqlite({ source, sums, groups, amounts }: SumRule): readonly string[] {
  const keys = groups.map(({ name }) => name).join(', ');
  const totals = (row: string) => [
    { name: 'records', value: '1' },
    ...amounts.flatMap((column) =>
      partsOf(`${row}.${column}`).map((value, part) => ({ name: `${column}_${part}`, value })),
    ),
  ];
  const names = totals('NEW').map(({ name }) => name);
  const add = `INSERT INTO ${sums} (${keys}, ${names.join(', ')})
    VALUES (${[...groups.map(({ of }) => of('NEW')), ...totals('NEW').map(({ value }) => value)].join(', ')})
    ON CONFLICT (${keys}) DO UPDATE SET ${names.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;
  const take = `UPDATE ${sums} SET ${totals('OLD')
    .map(({ name, value }) => `${name} = ${name} - ${value}`)
    .join(', ')}
    WHERE ${groups.map(({ name, of }) => `${name} = ${of('OLD')}`).join(' AND ')}`;
  const concerned = [
    ...groups.map(({ of }) => `${of('OLD')} <> ${of('NEW')}`),
    ...amounts.map((column) => `OLD.${column} <> NEW.${column}`),
  ].join(' OR ');
  return [
    `DROP TRIGGER IF EXISTS ${source}_sum_new`,
    `CREATE TRIGGER ${source}_sum_new AFTER INSERT ON ${source} FOR EACH ROW BEGIN ${add}; END`,
    `DROP TRIGGER IF EXISTS ${source}_sum_change`,
    `CREATE TRIGGER ${source}_sum_change AFTER UPDATE ON ${source} FOR EACH ROW WHEN ${concerned}
      BEGIN ${take}; ${add}; END`,
  ];
}
