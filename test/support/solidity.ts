import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Abi, Hex } from 'viem';

/** The compiler's output for one contract. */
export interface CompiledContract {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>;
}

const sourcesFolder = fileURLToPath(new URL('contracts/', import.meta.url));
const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache/tillgate-contracts/', import.meta.url));
let compiled: Promise<Record<string, CompiledContract>> | undefined;

/**
 * Compiles every source in `contracts/`, once for each content: loading the compiler takes longer than most tests.
 *
 * @throws Error with the compiler's messages
 */
export function compileContracts(): Promise<Record<string, CompiledContract>> {
  return (compiled ??= readOrCompile());
}

async function readOrCompile(): Promise<Record<string, CompiledContract>> {
  const sources = Object.fromEntries(
    readdirSync(sourcesFolder)
      .filter((file) => file.endsWith('.sol'))
      .sort()
      .map((file) => [file, { content: readFileSync(join(sourcesFolder, file), 'utf8') }]),
  );
  const input = JSON.stringify({
    language: 'Solidity',
    sources,
    settings: {
      // Old enough for every hardfork that a test may request from anvil.
      evmVersion: 'london',
      optimizer: { enabled: true },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  });
  const cacheFile = join(cacheFolder, `${createHash('sha256').update(input).digest('hex')}.json`);
  try {
    return JSON.parse(readFileSync(cacheFile, 'utf8')) as Record<string, CompiledContract>;
  } catch {
    const contracts = await compile(input);
    mkdirSync(cacheFolder, { recursive: true });
    // Test files run in parallel: a rename shows the others the whole file or none.
    const draft = `${cacheFile}.${process.pid}`;
    writeFileSync(draft, JSON.stringify(contracts));
    renameSync(draft, cacheFile);
    return contracts;
  }
}

async function compile(input: string): Promise<Record<string, CompiledContract>> {
  const { default: solc } = (await import('solc')) as { default: { compile: (input: string) => string } };
  const output = JSON.parse(solc.compile(input)) as CompilerOutput;
  const errors = (output.errors ?? []).map(({ formattedMessage }) => formattedMessage);
  if (errors.length > 0) throw new Error(`the test contracts do not compile cleanly:\n${errors.join('\n')}`);
  return Object.fromEntries(
    Object.values(output.contracts).flatMap((file) =>
      Object.entries(file).map(([name, { abi, evm }]) => [
        name,
        { abi, bytecode: `0x${evm.bytecode.object}` } as const,
      ]),
    ),
  );
}
