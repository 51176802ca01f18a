/** Receives a command's output, line by line. */
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
  /** What it is for, in the help of the command; absent where its name says it. */
  readonly about?: string;
}

export interface CommandCall {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly operands: readonly string[];
  readonly json: boolean;
  readonly terminal: Terminal;
}

export interface Command {
  readonly words: readonly string[];
  readonly summary: string;
  /** The names of the operands; an optional one is in brackets. */
  readonly operands: readonly string[];
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Returns the exit code. */
  run(call: CommandCall): Promise<number>;
}
