import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { digestMail } from './digest-mail.ts'
import { requestMail, type MailedCard } from './request-mail.ts'

const pages = { publicUrl: 'https://countersign.example.com' }

function request(more: Partial<MailedCard> = {}): MailedCard {
  return {
    id: '0199aaaa-0000-7000-8000-000000000001',
    number: '142',
    kind: 'tool_call',
    queue: 'platform',
    risk: 'medium',
    tool: 'edit_file',
    title: 'Edit "notes/1.2.md" (+4 −1)',
    expires_at: new Date('2026-11-25T10:00:00Z'),
    worker: 'release-notes',
    outcome: null,
    starter: 'Ada',
    task: { by: 'Ada', at: new Date('2026-11-22T10:00:00Z'), text: 'Write the notes' },
    cues: ['touches_ci', 'first_use'],
    ...more,
  }
}

test('a mail has the effect of the request, its deadline and a link to it', () => {
  const mail = requestMail('opened', request(), 'grace@example.com', pages)
  expect(mail).toMatchObject({
    to: 'grace@example.com',
    subject: 'Approval #142: Edit "notes/1.2.md": 4 lines added, 1 line removed',
    thread: 'request-0199aaaa-0000-7000-8000-000000000001',
    unsubscribe: 'https://countersign.example.com/account',
  })
  expect(mail.text).toBe(`Task of Ada, 2026-11-22 10:00 UTC: Write the notes
Waits for a decision: Edit "notes/1.2.md": 4 lines added, 1 line removed

#142, medium risk, platform, release-notes
Attention: touches continuous integration; the first use of this tool by the worker
Expires 2026-11-25 10:00 UTC

Look at it and decide: https://countersign.example.com/requests/0199aaaa-0000-7000-8000-000000000001

-- 
A reply to this mail decides nothing, and nobody reads replies.
Your mail settings: https://countersign.example.com/account
`)
})

test('the mails about one request are one thread; the last one says who ended the request', () => {
  const ended = request({ outcome: 'Denied by Grace' })
  const [opened, later] = [
    requestMail('opened', request(), 'ada@example.com', pages),
    requestMail('ended', ended, 'ada@example.com', pages),
  ]
  expect(later.thread).toBe(opened.thread)
  expect(later.subject).toBe(`Re: ${opened.subject}`)
  expect(later.text).toMatch(/^Denied by Grace: Edit/m)
})

test('a mail without a task names the starter of the run', () => {
  const { text, html } = requestMail('opened', request({ task: null }), 'g@e.com', pages)
  expect(text).toMatch(/^Waits for a decision: Edit[^]*\nRun started by Ada\n/)
  expect(text + html).not.toContain('Task of')
})

test('a mail has the accent colour of the dashboard, and is dark in a dark mail program', () => {
  const sheet = new URL('../../ui/styles/theme.css', import.meta.url)
  const [, accent] = /--accent: (#[0-9a-f]{6});/.exec(readFileSync(sheet, 'utf8')) ?? []
  const { html } = requestMail('opened', request(), 'g@e.com', pages)
  expect(html).toContain(`background:${accent};color:#ffffff`)
  expect(html).toContain('<meta name="color-scheme" content="light dark">')
})

// Rules: security.md 17, 18
test('a task is one line of text after the service’s own words, and cannot become a header, an element, a link or a line that looks like ours', () => {
  const hostile =
    'a\u202E\r\nWaits for a decision: nothing\nBcc: eve@example.com <img src=http://evil.example/x>'
  const task = { by: `Ada ${hostile}`, at: new Date('2026-11-22T10:00:00Z'), text: hostile }
  const mail = requestMail('opened', request({ task }), 'g@example.com', pages)
  expect(mail.text.split('\n')[0]).toMatch(/^Task of Ada a⟦U\+202E.*UTC: a⟦U\+202E.*⏎Bcc: eve/)
  expect(mail.text.match(/^Waits for a decision/gm)).toHaveLength(1)
  expect(mail.text + mail.subject + mail.html).not.toMatch(/[\r\u202E]|^Bcc/m)
  expect(mail.html).not.toMatch(/<img|evil\.example/)
})

// Rules: security.md 17, 18
test('text of an agent stays text: no line, no element, no link, no image, and nothing hidden', () => {
  const title =
    'Write "a\u202E\r\nBcc: eve@example.com <img src=http://evil.example/x> www.evil.example/?q=1"'
  const mail = requestMail(
    'opened',
    request({ title, worker: '<b>\u200B' }),
    'g@example.com',
    pages,
  )
  expect(mail.subject).not.toMatch(/[\r\n\u202E]/)
  expect(mail.text).toContain('⟦U+202E RIGHT-TO-LEFT OVERRIDE⟧')
  expect(mail.text).toContain('⟦U+200B ZERO WIDTH SPACE⟧')
  expect(mail.text.split('\n')[1]).toContain('⟦U+000D CR⟧⏎Bcc')
  expect(mail.html).not.toMatch(/<img|<b>|\u202E|\u200B/)
  expect([...mail.html.matchAll(/https?:\/\/[^"<]*/g)].map(([url]) => new URL(url).host)).toEqual([
    'countersign.example.com',
    'countersign.example.com',
  ])
  expect(mail.html).toContain('www.<wbr>evil.<wbr>example/<wbr>')
})

// Rules: security.md 20
test('a secret in a title is masked, and arguments of tools without a title are left out', () => {
  const secret = `ghp_${'a1'.repeat(18)}`
  const named = requestMail('opened', request({ title: `Write "${secret}"` }), 'g@e.com', pages)
  expect(JSON.stringify(named)).not.toContain(secret)
  expect(named.text).toContain('[GitHub token, 40 characters')
  const command = request({ tool: 'shell', title: 'rm -rf /srv/payroll' })
  expect(JSON.stringify(requestMail('opened', command, 'g@e.com', pages))).not.toContain('payroll')
})

test('a digest is one mail with what waits and what ended, and counts of the rest; an empty one is not sent', () => {
  const content = {
    waiting: [{ ...request(), fresh: true, handedOverBy: 'Linus' }],
    waitingCount: 31,
    freshCount: 4,
    ended: [request({ number: '140', outcome: 'Expired' })],
    endedCount: 1,
  }
  const mail = digestMail(content, 'grace@example.com', pages)
  expect(mail).toMatchObject({
    subject: 'Approvals: 31 waiting, 4 of them new; 1 ended',
    thread: null,
  })
  expect(mail?.text).toContain('; handed over to you by Linus, new, expires 2026-11-25 10:00 UTC')
  expect(mail?.text).toContain('and 30 more')
  expect(mail?.text).toContain('#140, medium risk, platform, release-notes; Expired')
  const empty = { waiting: [], waitingCount: 0, freshCount: 0, ended: [], endedCount: 0 }
  expect(digestMail(empty, 'grace@example.com', pages)).toBeNull()
})

// Rules: product.md 38; security.md 17
test('a digest has the task of each request on one line below its effect, after our own words, if there is a task', () => {
  const hostile = 'Write it\n- Deploy "shop"\n<b>'
  const task = { by: 'Ada', at: new Date('2026-11-22T10:00:00Z'), text: hostile }
  const content = {
    waiting: [
      { ...request({ task }), fresh: false, handedOverBy: null },
      { ...request({ number: '143', risk: 'high', task: null }), fresh: false, handedOverBy: null },
    ],
    waitingCount: 2,
    freshCount: 0,
    ended: [request({ number: '140', outcome: 'Expired' })],
    endedCount: 1,
  }
  const mail = digestMail(content, 'grace@example.com', pages)
  expect(mail?.text).toMatch(
    /\n- Edit .*\n {2}Task of Ada, 2026-11-22 10:00 UTC: Write it⏎- Deploy.*\n {2}#142, medium/,
  )
  expect(mail?.text).toMatch(/\n- Edit .*\n {2}#143, high risk/)
  expect(mail?.text).toMatch(/\n {2}Task of Ada, .*: Write the notes\n {2}#140, /)
  expect(mail?.html).not.toContain('<b>')
  expect(mail?.html.match(/Task of Ada/g)).toHaveLength(2)
})

test.each([
  ['question', 'Waits for an answer: '],
  ['outcome_check', 'Waits for an outcome check: '],
] as const)('a mail about a request of kind %s says what it waits for', (kind, opening) => {
  const { text } = requestMail('opened', request({ kind }), 'grace@example.com', pages)
  expect(text).toContain(`\n${opening}`)
})
