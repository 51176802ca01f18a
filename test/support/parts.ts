/**
 * The parts of a test file that this process runs: the one that the runner has chosen, or all of them. A file whose parts take
 * long names them in its first line (`// @parts: bitcoind litecoind`), and the runner gives each a process of its own.
 *
 * @throws Error if the first line names other parts, some of which would never run
 */
export function chosenParts<Name extends string>(parts: Readonly<Record<Name, unknown>> | readonly Name[]): Name[] {
  const names = Array.isArray(parts) ? (parts as readonly Name[]) : (Object.keys(parts) as Name[]);
  const { TEST_PART: chosen, TEST_PARTS: declared } = process.env;
  if (chosen === undefined) return [...names];
  if (declared !== names.join(' '))
    throw new Error(`the first line names the parts ${declared}, and the file has ${names.join(' ')}`);
  return names.filter((name) => name === chosen);
}
