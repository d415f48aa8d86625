import { createServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { localCertificate } from '#test/harness/fixtures/keys/local-certificate.ts'
import { openMailServer, type MailServer } from '#test/harness/mail-server.ts'
import type { EmailSettings } from '#policy/settings.ts'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import type { Mail } from './mail.ts'
import { sendMail, tryMailServer, type MailRoute } from './send-mail.ts'

let server: MailServer
beforeEach(async () => {
  server = await openMailServer()
})
afterEach(() => server[Symbol.asyncDispose]())

const mail: Mail = {
  to: 'grace@example.com',
  subject: 'Approval #7',
  text: 'It waits.',
  html: '<p>It waits.</p>',
  thread: 'request-7',
  unsubscribe: 'https://countersign.example.com/account',
}
const patient = { id: 'one', timeoutMs: 60_000, stopping: new AbortController().signal }

function routeTo(port: number, smtp: Partial<EmailSettings['smtp']> = {}): MailRoute {
  return {
    settings: {
      smtp: {
        host: '127.0.0.1',
        port,
        security: 'none',
        userFrom: null,
        passwordFrom: null,
        ...smtp,
      },
      from: 'countersign@example.com',
      fromName: 'Countersign',
      choice: 'digest',
      digest: { everyMs: 3_600_000 },
      source: 'countersign.yaml:1',
    },
    environment: { SMTP_USER: 'ada', SMTP_PASSWORD: 'correct horse' },
  }
}

test('a mail is marked as automatic, has the same id at every attempt, and is in the thread of its request', async () => {
  const route = routeTo(server.port)
  expect(await sendMail(route, mail, patient)).toEqual({ status: 250, error: null })
  await sendMail(route, mail, patient)
  const [first, again] = server.received
  expect(first).toMatchObject({ to: ['grace@example.com'], from: 'countersign@example.com' })
  expect(first?.message).toMatchObject({
    subject: 'Approval #7',
    messageId: '<one@example.com>',
    references: '<request-7@example.com>',
  })
  expect(first?.message.text?.trim()).toBe('It waits.')
  expect(first?.message.headers.get('auto-submitted')).toBe('auto-generated')
  expect(first?.raw).toMatch(/^List-Unsubscribe: <https:\/\/countersign.example.com\/account>/im)
  expect(again?.message.messageId).toBe(first?.message.messageId)
})

// Rules: security.md 17
test('no text in a mail makes a header, a recipient or an attachment', async () => {
  await sendMail(
    routeTo(server.port),
    {
      ...mail,
      subject: 'one\r\nBcc: eve@example.com\r\n\r\nbody',
      text: { path: '/etc/hostname' } as never,
    },
    patient,
  )
  await sendMail(routeTo(server.port), { ...mail, subject: 'x\nBcc: eve@example.com' }, patient)
  for (const { to, message } of server.received) {
    expect(to).toEqual(['grace@example.com'])
    expect(message.headers.has('bcc')).toBe(false)
  }
  expect(server.received).toHaveLength(1)
})

test.each(['starttls', 'tls'] as const)(
  'with %s no mail is sent to a server without a certificate, or with one that is not trusted',
  async (security) => {
    await using secured = await openMailServer({ ...localCertificate, secure: security === 'tls' })
    const route = routeTo(secured.port, { security, host: 'localhost' })
    expect((await sendMail(route, mail, patient)).error).toContain('self-signed')
    const trusted = { ...route, ca: localCertificate.cert }
    expect(await sendMail(trusted, mail, patient)).toEqual({ status: 250, error: null })
    expect(secured.received).toHaveLength(1)
    const plain = routeTo(server.port, { security })
    expect((await sendMail(plain, mail, patient)).error).not.toBeNull()
    expect(server.received).toEqual([])
  },
)

test('the service signs in at a server that requires it; a wrong password is reported without repeating it', async () => {
  await using asking = await openMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'ada' && password === 'correct horse'
        ? done(null, { user: 'ada' })
        : done(new Error('no')),
  })
  const route = routeTo(asking.port, { userFrom: 'SMTP_USER', passwordFrom: 'SMTP_PASSWORD' })
  expect(await tryMailServer(route, 60_000)).toBeNull()
  expect((await sendMail(route, mail, patient)).error).toBeNull()
  const wrong = { ...route, environment: { SMTP_USER: 'ada', SMTP_PASSWORD: 'a guess' } }
  expect(await tryMailServer(wrong, 60_000)).toBe(
    'the server refused the user name or password (535)',
  )
  const unset = { ...route, environment: {} }
  const sentence = /^SMTP_USER is not set: .+ restart the service$/
  expect(await tryMailServer(unset, 60_000)).toMatch(sentence)
  expect((await sendMail(unset, mail, patient)).error).toMatch(sentence)
})

test('a refusal is reported by its code, and only that of the address is final', async () => {
  server.refuse = 'message'
  expect(await sendMail(routeTo(server.port), mail, patient)).toMatchObject({ status: 451 })
  server.refuse = 'recipient'
  const outcome = await sendMail(routeTo(server.port), mail, patient)
  expect(outcome).toMatchObject({ status: 550, isFinal: true })
  expect(outcome.error).not.toContain('grace')
})

test('a server that is not there, or never answers, takes its time limit and no more', async () => {
  const gone = createServer()
  const port = await listenHere(gone)
  await closeServer(gone)
  expect((await sendMail(routeTo(port), mail, patient)).error).toContain('ECONNREFUSED')
  server.refuse = 'never answers'
  const brief = { ...patient, timeoutMs: 50 }
  // Whether the attempt or its connection times out first is chance, above all where this process
  // is delayed.
  for (const heldUpMs of [0, 0, 60, 60, 60]) {
    const sent = sendMail(routeTo(server.port), mail, brief)
    if (heldUpMs > 0) setTimeout(() => holdUp(heldUpMs), 20)
    expect(await sent).toEqual({ status: null, error: 'no answer in 50 ms' })
  }
  const stopped = { ...patient, stopping: AbortSignal.abort() }
  expect((await sendMail(routeTo(server.port), mail, stopped)).error).toBe('the service stopped')
})

function holdUp(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}
