/** Stands for a line break of pasted text in the one line of an editor. */
const lineBreak = '\u2424'

/**
 * Pasted text for the line of an editor: no character of it is a key or drives the terminal. Line
 * breaks become `␤`, and other control characters the pictures that Unicode has for them.
 */
export function pastedLine(text: string): string {
  return text
    .replaceAll(/\r\n|[\r\n\u2028\u2029]/g, lineBreak)
    .replaceAll(/(?!\t)\p{Cc}/gu, pictureOf)
}

function pictureOf(control: string): string {
  const code = control.charCodeAt(0)
  if (code === 0x7f) return '\u2421'
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\uFFFD'
}

/** The text of a line that was edited, with its line breaks. */
export function withLineBreaks(line: string): string {
  return line.replaceAll(lineBreak, '\n')
}

/** Pasted text for a prompt of one line. */
export function pastedWords(text: string): string {
  return pastedLine(text).replaceAll(lineBreak, ' ').replaceAll('\t', ' ')
}

// oxlint-disable-next-line no-control-regex
const sequence = /\u001b(?:\[[\d;]*[A-Za-z~]|O[A-Z])/g
const erase = /[\b\u007f]/

/**
 * The line that a person meant, where the editor has written every key into it, as at a terminal
 * without escape sequences: Backspace removes the character before it, and other keys write
 * nothing.
 */
export function withoutKeys(line: string): string {
  if (!/(?!\t)\p{Cc}/u.test(line)) return line
  const characters: string[] = []
  for (const character of line.replaceAll(sequence, '')) {
    if (erase.test(character)) characters.pop()
    else characters.push(character)
  }
  return characters.join('').replaceAll(/(?!\t)\p{Cc}/gu, '')
}
