import { expect, test } from 'vitest'
import { parseConfig } from '#test/harness/fixtures/project.ts'

function parse(text: string) {
  const { config, problems } = parseConfig(`version: 1\nemail:\n${text}`)
  return { email: config?.email ?? null, problems }
}

test('a server and a sender are enough: STARTTLS, its port, and a digest each morning', () => {
  const { email } = parse('  smtp: { host: smtp.example.com }\n  from: countersign@example.com\n')
  expect(email).toEqual({
    smtp: {
      host: 'smtp.example.com',
      port: 587,
      security: 'starttls',
      userFrom: null,
      passwordFrom: null,
    },
    from: 'countersign@example.com',
    fromName: 'Countersign',
    choice: 'digest',
    digest: { at: '08:00', timeZone: 'UTC' },
    source: 'countersign.yaml:2',
  })
})

test('every setting is read', () => {
  const { email } = parse(
    `  smtp: { host: mail.example.com, port: 2465, security: tls, userFrom: SMTP_USER, passwordFrom: SMTP_PASSWORD }
  from: Approvals <approvals@example.com>
  default: atOnce
  digestEvery: 4h
`,
  )
  expect(email).toMatchObject({
    smtp: { port: 2465, security: 'tls', userFrom: 'SMTP_USER', passwordFrom: 'SMTP_PASSWORD' },
    from: 'approvals@example.com',
    fromName: 'Approvals',
    choice: 'atOnce',
    digest: { everyMs: 4 * 3_600_000 },
  })
})

const smtp = '  smtp: { host: smtp.example.com }\n'
const from = '  from: a@example.com\n'

test.each([
  [from, 'has no "smtp"'],
  [smtp, 'has no "from"'],
  [`  smtp: { host: "smtp.example.com/x" }\n${from}`, 'not the name of a host'],
  [`  smtp: { host: smtp.example.com, security: none }\n${from}`, 'unencrypted'],
  [`  smtp: { host: h, userFrom: USER }\n${from}`, 'is not complete'],
  [`  smtp: { host: h, userFrom: PGUSER, passwordFrom: B }\n${from}`, 'a setting of the service'],
  [`  smtp: { host: h, port: 0 }\n${from}`, 'is 0'],
  [`${smtp}  from: "a@example.com\\nBcc: b@example.com"\n`, 'not a sender'],
  [`${smtp}  from: "A, B <a@example.com>"\n`, 'not a sender'],
  [`${smtp}${from}  default: sometimes\n`, 'is "sometimes"'],
  [`${smtp}${from}  digestAt: "8 o'clock"\n`, 'not a time of day'],
  [`${smtp}${from}  timeZone: Middle/Earth\n`, 'not a time zone'],
  [`${smtp}${from}  digestEvery: 5m\n`, 'is "5m"'],
  [`${smtp}${from}  digestEvery: 4h\n  digestAt: "08:00"\n`, 'does not go with'],
  [`${smtp}${from}  password: hunter2\n`, 'unknown key'],
])('%j is an error with its line', (text, problem) => {
  const { problems } = parse(text)
  expect(problems).toMatchObject([
    {
      file: 'countersign.yaml',
      line: expect.any(Number),
      problem: expect.stringContaining(problem),
    },
  ])
})

test('a password in the file is an error that does not repeat it', () => {
  const password = 'correct-horse-battery'
  const { problems } = parse(
    `  smtp: { host: h, userFrom: SMTP_USER, passwordFrom: ${password} }\n${from}`,
  )
  expect(problems).toHaveLength(1)
  expect(JSON.stringify(problems)).not.toContain(password)
})
