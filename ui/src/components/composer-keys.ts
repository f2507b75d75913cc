// What the Enter key means in the composer. Pure, because input methods make it hard to get right.

/** What is asked of a key press. */
export interface KeyPress {
  key: string;
  shiftKey: boolean;
  altKey: boolean;
  isComposing: boolean;
  keyCode: number;
  timeStamp: number;
}

/** Some engines end the composition first and then report its Enter as an ordinary one. */
const SAME_PRESS = 100;

/** Whether the key press belongs to an input method: it chooses a word, and nothing else. */
export function belongsToInputMethod(press: KeyPress, compositionEnded: number | null): boolean {
  if (press.isComposing || press.keyCode === 229) return true;
  return compositionEnded !== null && press.timeStamp - compositionEnded < SAME_PRESS;
}

/** Whether the key press sends the message. */
export function sends(press: KeyPress, compositionEnded: number | null): boolean {
  return press.key === "Enter" && !press.shiftKey && !press.altKey && !belongsToInputMethod(press, compositionEnded);
}

export const commands = ["facts", "memories", "procedures", "remember", "help"] as const;
export type Command = (typeof commands)[number];

/** The commands that what is typed may become: none once there is a space, or where it is no command. */
export function matchingCommands(text: string): Command[] {
  const typed = /^\/(\w*)$/.exec(text)?.[1]?.toLowerCase();
  return typed === undefined ? [] : commands.filter((command) => command.startsWith(typed));
}

/** Whether a command needs words after it. */
export function takesText(command: Command): boolean {
  return command === "remember";
}
