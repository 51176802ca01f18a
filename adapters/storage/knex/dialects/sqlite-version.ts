import { TillgateError } from '../../../../core/index.ts';

/** Versions whose write-ahead log can lose commits or damage the file when two connections race at a log reset. */
const WAL_RESET_FIXED = [3, 51, 3];
/** Older branches with a backported fix: [minor, first fixed patch]. */
const BACKPORTS: ReadonlyMap<number, number> = new Map([
  [50, 7],
  [44, 6],
]);

/** True for a SQLite version with the WAL-reset bug (3.7.0 to 3.51.2, except the fixed 3.50.7 and 3.44.6). */
export function hasWalResetBug(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const [fixedMajor = 0, fixedMinor = 0, fixedPatch = 0] = WAL_RESET_FIXED;
  if (major !== fixedMajor) return major < fixedMajor;
  if (minor !== fixedMinor) {
    const corrected = BACKPORTS.get(minor);
    return minor < fixedMinor && (corrected === undefined || patch < corrected);
  }
  return patch < fixedPatch;
}

/** @throws TillgateError `CONFIG_INVALID` naming a version that is known to damage databases. */
export function refuseBadSqlite(version: string): void {
  if (!/^\d+\.\d+\.\d+/.test(version) || hasWalResetBug(version)) {
    throw new TillgateError(
      'CONFIG_INVALID',
      `SQLite ${version} can damage a database in WAL mode (the WAL-reset bug); use 3.51.3 or later, 3.50.7 or 3.44.6.`,
    );
  }
}
