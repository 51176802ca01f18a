/** Next calls this once, before the first request; not while it builds. */
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] === 'nodejs') await (await import('./till.ts')).openTill();
}
