import { expect, test } from 'vitest'
import { warnings } from './warnings.fixture.ts'

// Rules: product.md 17
test('two addresses of one mailbox have a warning, in whatever teams they are', () => {
  const people = (...emails: readonly string[]) =>
    warnings({ config: `people: [${emails.map((email) => `{ email: ${email} }`).join(', ')}]\n` })
  expect(people('linus@example.com', 'linus@example.org', 'li.nus@example.com')).toEqual([])
  for (const other of ['ada+ops@example.com', 'Ada+@example.com']) {
    expect(people(other)).toEqual([
      `countersign.yaml:null ${other.toLowerCase()} and ada@example.com may be one mailbox: whoever reads it could approve their own work; name each person by one address`,
    ])
  }
})
