import { expect, test } from 'vitest'
import { maskSecrets } from './mask-secrets.ts'
import { taskText } from './task-text.ts'

test('a text is the task unchanged; an object has a line for each of its fields, with a readable title', () => {
  expect(taskText('Write the notes\nof 1.2')).toBe('Write the notes\nof 1.2')
  const input = { version: '1.2', releaseDate: '2026-12-01', only_public: true, areas: ['a', 'b'] }
  expect(taskText(input)).toBe(
    'Version: 1.2\nRelease date: 2026-12-01\nOnly public: true\nAreas: a, b',
  )
  expect(taskText({ '': 'x', __proto__x: { deep: [1] } })).toBe(': x\nProto x: {"deep":[1]}')
})

// Rules: security.md 20
test.each(
  [
    'apiKey api_key API_KEY apikey accessKey accessKeySecret secretAccessKey',
    'access_token authToken refreshToken clientToken sessionToken bearer-token',
    'privateKey secretKey clientSecret signingKey storageAccountKey dbPassword',
  ].flatMap((names) => names.split(' ')),
)('a value of the field %s is masked as a field and in one, as text for people', (name) => {
  const value = ['abcdefgh', '12345678'].join('')
  for (const input of [{ [name]: value }, { target: { [name]: value } }, { [name]: [value] }]) {
    const masked = maskSecrets(taskText(input))
    expect(masked).not.toContain(value)
    expect(masked).toContain('[named secret, 16 characters')
  }
})
