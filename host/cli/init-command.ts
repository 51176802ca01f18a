import { createInterface } from 'node:readline/promises';
import { renderUnicodeCompact } from 'uqr';
import { TillgateError, invalidField } from '../../core/index.ts';
import { loadConfig, programName, settingsTarget } from '../settings/config.ts';
import { askUntil, readAnswers } from '../init/init-answers.ts';
import type { Ask } from '../init/init-answers.ts';
import { checkSettings, makeAdmin, makeWallet, prepareDatabase, reportFiles, writeFiles } from '../init/init-till.ts';
import type { AdminLogin, AskCode, Report, StepReport } from '../init/init-till.ts';
import { numberedWords } from '../init/seed-words.ts';
import type { CommandCall } from './command.ts';
import { doctor } from './doctor.ts';
import { readNewPassword } from './read-secret.ts';

/**
 * `init`: makes a till that can be served from an empty folder. Each step leaves existing files unchanged, so `init`
 * can be killed at any point and run again.
 *
 * @returns 0 for a till in which `doctor` finds nothing wrong
 */
export async function init(call: CommandCall): Promise<number> {
  const { values, json, terminal } = call;
  const report: Report = (one) => linesOf(one, json).forEach((line) => terminal.out(line));
  const admin = await prepareFiles(call, report);
  await prepareDatabase(report);
  if (values['without-wallet'] !== true)
    await makeWallet(report, json || !process.stdout.isTTY ? null : askOf(terminal));
  await makeAdmin(admin, report, askCode(call));
  const problems = await doctor(call);
  if (!json) for (const line of nextSteps(problems === 0, await addressOf())) terminal.out(line);
  return problems;
}

/** Asks the person at the terminal; `null` without one. */
function askOf(terminal: CommandCall['terminal']): Ask {
  const tell = (words: string): void => terminal.err(words);
  return process.stdin.isTTY ? Object.assign(askAtTerminal.bind(null), { tell }) : null;
}

/** Asks all questions before the first file is written. */
async function prepareFiles(call: CommandCall, report: Report): Promise<() => Promise<AdminLogin>> {
  const { terminal } = call;
  const ask = askOf(terminal);
  const login = async (): Promise<AdminLogin> => ({
    email: await emailOf(call, ask),
    password: await readNewPassword(call),
  });
  const target = settingsTarget();
  if (target.exists) {
    await loadConfig();
    reportFiles(target.path, report);
    return login;
  }
  const settings = await checkSettings(await readAnswers(call.values, ask), target.path);
  const given = await login();
  writeFiles(settings, target.path, report);
  return () => Promise.resolve(given);
}

async function emailOf({ values }: CommandCall, ask: Ask): Promise<string> {
  const given = values['email'];
  if (typeof given === 'string') return given;
  if (ask === null)
    throw new TillgateError('CONFIG_INVALID', '--email is missing, and there is no terminal to ask for it.');
  const check = (email: string): void => {
    if (!/^[^@\s]+@[^@\s]+$/.test(email)) throw invalidField('--email', 'an e-mail address');
  };
  return askUntil(
    async () => (await ask('E-mail of the first admin', '')).trim(),
    check,
    (words) => ask.tell?.(words),
  );
}

/** The code of the option at the first try; then what a person types, or nothing without a terminal. */
function askCode({ values }: CommandCall): AskCode {
  const given = values['totp-code'];
  if (typeof given === 'string') return (tries) => Promise.resolve(tries === 0 ? given.trim() : null);
  if (!process.stdin.isTTY) return () => Promise.resolve(null);
  return async (tries) => {
    const question = `${tries === 0 ? '' : 'Wrong code. '}Code from the authenticator app (leave empty to confirm at the first login)`;
    const text = await askAtTerminal(question, '');
    return text.trim() === '' ? null : text.trim();
  };
}

/** Questions go to standard error: standard output is for results. */
async function askAtTerminal(question: string, fallback: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await reader.question(`${question}${fallback === '' ? '' : ` [${fallback}]`}: `);
    return answer.trim() === '' ? fallback : answer;
  } finally {
    reader.close();
  }
}

function linesOf({ words, secrets = {}, ...rest }: StepReport, json: boolean): string[] {
  if (json) return [JSON.stringify({ ...rest, ...secrets })];
  const { uri } = secrets;
  const code = uri === undefined || !process.stdout.isTTY ? [] : [renderUnicodeCompact(uri)];
  return [
    words,
    ...Object.entries(secrets).flatMap(([name, text]) => (name === 'mnemonic' ? numberedWords(text) : [text])),
    ...code,
  ];
}

async function addressOf(): Promise<string> {
  const { baseUrl, listen } = await loadConfig();
  return baseUrl ?? `http://localhost:${listen.port}`;
}

function nextSteps(healthy: boolean, address: string): string[] {
  const program = programName();
  return [
    '',
    ...(healthy ? [] : [`Correct what is WRONG above, then run: ${program} doctor`]),
    `Next: ${program} serve`,
    `Log in at: ${address}/dashboard`,
    'Or create a merchant and its key:',
    `  ${program} account create --email shop@example.com --verified '*'`,
    `  ${program} credential create --account ID`,
  ];
}
