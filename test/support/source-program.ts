import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** The environment variable that names the folder of the compiled sources of a test run. */
export const COMPILED_SOURCES = 'TEST_COMPILED_SOURCES';

/**
 * The arguments with which node runs a source file of this repository: the file that the test run has compiled from it, which starts
 * in half the processor time, or the source itself through the loader for a test file run on its own.
 *
 * @param path - relative to the repository
 */
export function argumentsOf(path: string): readonly string[] {
  const compiled = process.env[COMPILED_SOURCES];
  if (compiled === undefined) return ['--import', import.meta.resolve('tsx'), join(REPOSITORY, path)];
  return ['--enable-source-maps', join(compiled, path.replace(/\.tsx?$/, '.js'))];
}
