import type { SumRule } from './dialect.ts';

/**
 * One statement for all rows that a statement has changed, in the order of the keys, so that transactions which change the same sums
 * wait for each other in one order. Rows whose change concerns no sum cancel out.
 */
export function keepSumsPg({ source, sums, groups, amounts }: SumRule): readonly string[] {
  const keys = groups.map(({ name }) => name).join(', ');
  const places = groups.map((_, at) => at + 1).join(', ');
  const totals = [
    { name: 'records', sum: 'sum(r.sign)' },
    ...amounts.map((column) => ({ name: `${column}_0`, sum: `sum(r.sign * r.${column})` })),
  ];
  const add = (changed: string): string =>
    `INSERT INTO ${sums} AS s (${keys}, ${totals.map(({ name }) => name).join(', ')})
      SELECT ${groups.map(({ of }) => of('r')).join(', ')}, ${totals.map(({ sum }) => sum).join(', ')}
      FROM (${changed}) AS r GROUP BY ${places} HAVING ${totals.map(({ sum }) => `${sum} <> 0`).join(' OR ')} ORDER BY ${places}
      ON CONFLICT (${keys}) DO UPDATE SET ${totals.map(({ name }) => `${name} = s.${name} + excluded.${name}`).join(', ')}`;
  const trigger = (name: string, verb: string, tables: string, changed: string): readonly string[] => [
    `CREATE OR REPLACE FUNCTION ${source}_${name}() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN ${add(changed)}; RETURN NULL; END $$`,
    `DROP TRIGGER IF EXISTS ${source}_${name} ON ${source}`,
    `CREATE TRIGGER ${source}_${name} AFTER ${verb} ON ${source} REFERENCING ${tables}
      FOR EACH STATEMENT EXECUTE FUNCTION ${source}_${name}()`,
  ];
  const added = 'SELECT 1 AS sign, a.* FROM added AS a';
  return [
    ...trigger('sum_new', 'INSERT', 'NEW TABLE AS added', added),
    ...trigger(
      'sum_change',
      'UPDATE',
      'OLD TABLE AS former NEW TABLE AS added',
      `${added} UNION ALL SELECT -1, f.* FROM former AS f`,
    ),
  ];
}
