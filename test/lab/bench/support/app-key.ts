import type { TillProcess } from './till-process.ts';

/** Makes an account with an App for ETH, as an operator would. @returns the App's key */
export async function appKey(till: TillProcess): Promise<string> {
  const email = `user-${till.pid}@example.com`;
  const words = ['account', 'create', '--email', email, '--password', 'correct horse battery'];
  const account = (await till.command(words)) as { readonly id: string };
  const app = await till.command(['app', 'create', '--account', account.id, '--name', 'load', '--chains', 'ETH']);
  return (app as { readonly key: { readonly api_key: string } }).key.api_key;
}
