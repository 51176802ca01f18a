/** Where a command's words go, line by line. */
export interface Terminal {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/** An option of a command: a flag, or one that takes a value. */
export interface CommandOption {
  readonly flag?: boolean;
  readonly required?: boolean;
  /** The placeholder of the value in the usage; the option's name in capitals by default. */
  readonly value?: string;
}

/** What a command is given. */
export interface CommandCall {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly operands: readonly string[];
  readonly json: boolean;
  readonly terminal: Terminal;
}

/** One command of `tillgate`. */
export interface Command {
  readonly words: readonly string[];
  readonly summary: string;
  /** By name; one that may be left out is in brackets. */
  readonly operands: readonly string[];
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Returns the exit code. */
  run(call: CommandCall): Promise<number>;
}
