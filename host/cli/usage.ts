import type { Command, CommandOption } from './command.ts';

/** How an option is written, with the placeholder of its value. */
export function optionUsage(name: string, { flag, value }: CommandOption): string {
  return flag === true ? `--${name}` : `--${name} ${value ?? name.toUpperCase()}`;
}

/** How a command is written, with its operands and options; what may be left out is in brackets. */
export function usageOf({ words, operands, options }: Command): string {
  const named = Object.entries(options).map(([name, option]) => {
    const text = optionUsage(name, option);
    return option.required === true ? text : `[${text}]`;
  });
  return [...words, ...operands, ...named].join(' ');
}
