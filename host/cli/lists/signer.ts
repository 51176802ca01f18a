import type { Command } from '../command.ts';
import { lazily, required } from './lazily.ts';

const signers = lazily(() => import('../signer-commands.ts'));

export const SIGNER_COMMANDS: readonly Command[] = [
  {
    words: ['signer', 'init'],
    summary: 'creates a seed for the signer and shows it once',
    operands: [],
    options: { config: { required: true, value: 'FILE' } },
    run: signers((module) => module.signerInit),
  },
  {
    words: ['signer', 'stop'],
    summary: 'stops the signer until it is resumed; payments wait',
    operands: [],
    options: { config: { required: true, value: 'FILE' }, reason: required },
    run: signers((module) => module.signerStop),
  },
  {
    words: ['signer', 'resume'],
    summary: 'resumes the signer',
    operands: [],
    options: { config: { required: true, value: 'FILE' } },
    run: signers((module) => module.signerResume),
  },
  {
    words: ['signer'],
    summary: 'runs the signer, the only process with the seed, by the policy of its settings file',
    operands: [],
    options: { config: { required: true, value: 'FILE' } },
    run: signers((module) => module.signer),
  },
];
