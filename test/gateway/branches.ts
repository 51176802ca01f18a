export const hex = (n: number): string => `0x${n.toString(16)}`;

/** A chain of blocks whose hashes name the branch that they are of. */
export class Branches {
  head: number;
  #branches: string[];

  constructor(head: number) {
    this.head = head;
    this.#branches = Array.from({ length: head + 1 }, () => 'a');
  }

  mine(blocks: number, branch: string): void {
    for (let n = 0; n < blocks; n++) this.#branches[++this.head] = branch;
  }

  reorganise(depth: number, branch: string): void {
    for (let n = this.head - depth + 1; n <= this.head; n++) this.#branches[n] = branch;
  }

  /** Begins again: none of its former blocks exist. */
  restart(head: number, branch: string): void {
    this.head = head;
    this.#branches = Array.from({ length: head + 1 }, () => branch);
  }

  hash(n: number): string {
    return hex(n * 1000 + (this.#branches[n] ?? 'a').charCodeAt(0)).padEnd(66, '0');
  }
}
