import { createInterface } from 'node:readline/promises';
import { renderUnicodeCompact } from 'uqr';
import { TillgateError } from '../../core/index.ts';
import { loadConfig, settingsTarget } from '../config.ts';
import { readAnswers } from '../init/init-answers.ts';
import type { Ask } from '../init/init-answers.ts';
import { checkSettings, makeAdmin, makeWallet, prepareDatabase, reportFiles, writeFiles } from '../init/init-till.ts';
import type { AdminLogin, Report, StepReport } from '../init/init-till.ts';
import type { CommandCall } from './command.ts';
import { doctor } from './doctor.ts';
import { readNewPassword } from './read-secret.ts';

/**
 * `init`: from an empty folder to a till that can be served. Each step leaves alone what is there, so that it can be killed at any
 * point and run again.
 *
 * @returns 0 for a till in which `doctor` finds nothing wrong
 */
export async function init(call: CommandCall): Promise<number> {
  const { values, json, terminal } = call;
  const report: Report = (one) => linesOf(one, json).forEach((line) => terminal.out(line));
  const admin = await prepareFiles(call, report);
  await prepareDatabase(report);
  if (values['without-wallet'] !== true) await makeWallet(report);
  await makeAdmin(admin, report);
  const problems = await doctor(call);
  if (!json) for (const line of nextSteps(problems === 0, await addressOf())) terminal.out(line);
  return problems;
}

/** All that a person has to say is asked for before the first file is written. */
async function prepareFiles(call: CommandCall, report: Report): Promise<() => Promise<AdminLogin>> {
  const ask = process.stdin.isTTY ? askAtTerminal : null;
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
    throw new TillgateError('CONFIG_INVALID', '--email is missing, and there is no terminal to ask at.');
  return ask('E-mail of the first admin', '');
}

/** Questions go to standard error: standard output has what the command found and made. */
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
  return [words, ...Object.values(secrets), ...code];
}

async function addressOf(): Promise<string> {
  const { baseUrl, listen } = await loadConfig();
  return baseUrl ?? `http://localhost:${listen.port}`;
}

function nextSteps(healthy: boolean, address: string): string[] {
  return [
    ...(healthy ? [] : ['Correct what is WRONG above, then run: tillgate doctor']),
    'Next: tillgate serve',
    `Then log in at ${address}/dashboard, or make a merchant and its key:`,
    "  tillgate account create --email shop@example.com --verified '*'",
    '  tillgate credential create --account ID',
  ];
}
