import { expect, test } from 'vitest'
import { pastedLine, withoutKeys } from './pasted-text.ts'
import { PasteSplitter } from './paste-splitter.ts'
import { typedAhead } from './typed-ahead.ts'

function parts(...reads: string[]) {
  const splitter = new PasteSplitter()
  const all = [...reads.flatMap((read) => splitter.split(read)), ...splitter.release()]
  return ['keys', 'paste'].map((kind) =>
    all
      .filter((part) => part.kind === kind)
      .map(({ text }) => text)
      .join(''),
  )
}

test('marked text is pasted wherever the marks are cut, and the rest is keys', () => {
  const whole = 'a\u001B[200~/cancel\u0003\r\u001B[A y\u001B[201~b\u001B'
  for (let cut = 0; cut <= whole.length; cut++) {
    expect(parts(whole.slice(0, cut), whole.slice(cut))).toEqual([
      'ab\u001B',
      '/cancel\u0003\r\u001B[A y',
    ])
  }
  expect(parts(...whole)).toEqual(parts(whole))
})

test('text behind the end of a line in one read is pasted where a terminal does not mark it', () => {
  expect(parts('one\rtwo\rthree')).toEqual(['', 'one\rtwo\rthree'])
})

test('a line with its end is keys, and so are an arrow and Esc', () => {
  expect(parts('/close\r')).toEqual(['/close\r', ''])
  expect(parts('\u001B[A')).toEqual(['\u001B[A', ''])
  expect(parts('\u001B')).toEqual(['\u001B', ''])
})

test('a mark inside pasted text begins nothing', () => {
  expect(parts('\u001B[200~a\u001B[200~b\u001B[201~c')).toEqual(['c', 'a\u001B[200~b'])
})

test('a line break of two characters is one break wherever the reads cut it', () => {
  const whole = '\u001B[200~one\r\ntwo\r\n\r\nthree\u001B[201~'
  for (let cut = 0; cut <= whole.length; cut++) {
    const [keys, pasted = ''] = parts(whole.slice(0, cut), whole.slice(cut))
    expect([keys, pastedLine(pasted)]).toEqual(['', 'one␤two␤␤three'])
  }
  const [, each = ''] = parts(...whole)
  expect(pastedLine(each)).toBe('one␤two␤␤three')
  expect(parts('one\rtwo\r', '\nthree\rfour')).toEqual(['', 'one\rtwo\rthree\rfour'])
})

test('a paste that begins with a line break after another paste keeps it', () => {
  const [, pasted] = parts('\u001B[200~one\r\u001B[201~', '\u001B[200~\ntwo\u001B[201~')
  expect(pasted).toBe('one\r\ntwo')
})

test('a line into which an editor wrote the keys is the line that was meant', () => {
  expect(withoutKeys('abx\u007f\u007fc\u001B[A\u001B[3~\u001BOP d\te\u0001')).toBe('ac d\te')
  expect(withoutKeys('one␤two \u{1F600}\b')).toBe('one␤two ')
  expect(withoutKeys('\u007f\u007fa')).toBe('a')
})

test('what was erased before the editor of a line was open is not in the line', () => {
  const key = (name: string, text = '', ctrl = false) => ({ name, text, ctrl })
  const line = (...keys: ReturnType<typeof key>[]): string =>
    typedAhead(keys)
      .map(({ text }) => text)
      .join('')
  const typed = [...'ab cd'].map((letter) => key(letter, letter))
  expect(line(...typed, key('backspace'), key('x', 'x'))).toBe('ab cx')
  expect(line(...typed, key('w', '', true), key('x', 'x'))).toBe('ab x')
  expect(line(...typed, key('u', '', true), key('x', 'x'))).toBe('x')
  expect(line(key('backspace'), key('paste', 'p\u{1F600}'), key('backspace'))).toBe('p')
})
