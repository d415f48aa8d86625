import { expect, test } from 'vitest'
import { pictureTypeOf } from './picture-type.ts'

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

test.each([
  ['image/png', png],
  ['image/jpeg', Buffer.from('ffd8ffe000104a464946', 'hex')],
  ['image/gif', Buffer.from('GIF87a')],
  ['image/gif', Buffer.from('GIF89a<script>alert(1)</script>')],
  ['image/webp', Buffer.from('RIFF\x10\0\0\0WEBPVP8 ')],
])('%s is told by its first bytes', (type, bytes) => {
  expect(pictureTypeOf(bytes)).toBe(type)
})

// Rules: security.md 18
test.each([
  ['a page', '<!doctype html><script>alert(1)</script>'],
  ['a page behind blanks', '  \n<html>'],
  ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
  ['an SVG with its declaration', '<?xml version="1.0"?><svg/>'],
  ['a PDF', '%PDF-1.7'],
  ['the name of a form', 'PNG'],
  ['a RIFF that is sound', 'RIFF\x10\0\0\0WAVEfmt '],
  ['a GIF of no version', 'GIF90a'],
  ['nothing', ''],
])('%s is no picture', (_what, text) => {
  expect(pictureTypeOf(Buffer.from(text, 'latin1'))).toBeNull()
})

test('a PNG’s signature without its first chunk is no picture', () => {
  expect(pictureTypeOf(png.subarray(0, 12))).toBeNull()
})
