const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not; give the folder to the user that runs tillgate, or choose another one',
  EPERM: 'this user may not; give the folder to the user that runs tillgate, or choose another one',
  EROFS: 'the file system is read-only; choose another folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of this user is used up',
  ENOTDIR: 'a part of this path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
};

const ACTIONS: Readonly<Record<string, string>> = {
  mkdir: 'create the folder',
  open: 'open or create',
  link: 'create',
};

/** One sentence for a file that cannot be used because of the machine, not of this program; `null` for other errors. */
export function fileProblem(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code = '', path, dest, syscall = '' } = error as NodeJS.ErrnoException & { dest?: string };
  const reason = REASONS[code];
  const name = dest ?? path;
  if (reason === undefined || name === undefined) return null;
  return `Cannot ${ACTIONS[syscall] ?? 'use'} ${name}: ${reason} (${code}).`;
}
