import { isTillgateError } from '../../core/kernel/errors.ts';
import type { FieldError } from '../../core/kernel/errors.ts';
import { wireFields } from '../../adapters/http/wire-names.ts';
import { fileProblem } from '../boot/file-problem.ts';
import { missingPeer, missingPeerWords } from '../boot/missing-peer.ts';

/** The error text of a failed command; with `--json` one line of JSON. */
export function failureText(error: unknown, command: string, json: boolean): string {
  const peer = missingPeer(error);
  const words = peer === null ? messageOf(error) : missingPeerWords(peer, `the command ${command}`);
  const { message, fields } = named(error, words);
  if (!json)
    return [message, ...further(message, fields).map(({ path, message: valid }) => `  ${path}: ${valid}`)].join('\n');
  const code = isTillgateError(error) ? error.code : peer === null ? 'INTERNAL' : 'CONFIG_INVALID';
  return JSON.stringify({ error: { code, message, ...(fields.length > 0 && { fields }) } });
}

/** Fields are shown by the names of the APIs, as in the records that commands print; settings by their own. */
function named(error: unknown, message: string): ReturnType<typeof wireFields> {
  const fields = isTillgateError(error) ? (error.details.fields ?? []) : [];
  return isTillgateError(error, 'CONFIG_INVALID') ? { message, fields } : wireFields(message, fields, 'till');
}

/** A defect keeps its stack, for a bug report. */
function messageOf(error: unknown): string {
  if (isTillgateError(error)) return error.message;
  const problem = fileProblem(error);
  if (problem !== null) return problem;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The fields that the message does not name already. */
function further(message: string, fields: readonly FieldError[]): readonly FieldError[] {
  return fields.filter((field) => !message.includes(field.message) || !message.includes(field.path));
}
