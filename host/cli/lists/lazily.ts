import type { Command } from '../command.ts';

/** Commands are loaded when they run, so that each loads only the modules that it uses. */
export const lazily =
  <Module>(load: () => Promise<Module>) =>
  (pick: (module: Module) => Command['run']): Command['run'] =>
  async (call) =>
    pick(await load())(call);

export const required = { required: true } as const;
export const flag = { flag: true } as const;
