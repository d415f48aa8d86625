import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashBytes } from '../json/digest.ts'
import { maskSecrets } from './mask-secrets.ts'
import { chippedSecrets, findSecrets, findSecretsOfExcerpt } from './secrets.ts'

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789'
const base64 = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/']
// Put together here, so that no scanner takes this file for a leak.
const samples: readonly (readonly [kind: string, value: string])[] = [
  ['AWS access key', ['AKIA', 'Q3EGRJ5NXZ7LMYPT'].join('')],
  ['Countersign API key', `cs_${'0'.repeat(16)}_${'x'.repeat(43)}`],
  ['GitHub token', `ghp_${letters.slice(0, 36)}`],
  ['GitHub token', `github_pat_${letters.slice(0, 30)}`],
  ['GitLab token', `glpat-${letters.slice(0, 20)}`],
  ['Slack token', `xoxb-1234567890-${letters.slice(0, 12)}`],
  ['Anthropic key', `sk-ant-${letters}`],
  ['OpenAI key', `sk-proj-${letters}`],
  ['Google key', `AIza${letters.slice(0, 35)}`],
  ['Stripe key', `sk_live_${letters.slice(0, 24)}`],
  ['npm token', `npm_${letters.slice(0, 36)}`],
  ['JSON web token', `eyJ${letters}.eyJ${letters}.${letters}`],
]

// Rules: security.md 20
describe('findSecrets', () => {
  it.each(samples)('finds a %s wherever it stands', (kind, value) => {
    for (const [before, after] of [
      ['', ''],
      ['key: "', '"\n'],
      ['(', ')'],
      ['A=', '\nB=2'],
    ] as const) {
      const found = findSecrets(before + value + after)
      expect(found).toEqual([{ start: before.length, end: before.length + value.length, kind }])
    }
  })

  it.each([
    ['postgres://ada:s3cr3t-word@db/x', 's3cr3t-word'],
    ['password = "correct horse"', null],
    ['password: correcthorse', 'correcthorse'],
    ['API_KEY=0123456789abcdef', '0123456789abcdef'],
    [`authorization: Bearer ${letters}`, letters],
    ['"client_secret": "abcdefgh12"', 'abcdefgh12'],
  ])('recognises %j', (text, value) => {
    const values = findSecrets(text).map(({ start, end }) => text.slice(start, end))
    expect(values).toEqual(value === null ? [] : [value])
  })

  it.each([
    ['echo https://a:;sh<run.sh;@b', []],
    ['echo https://a:x$(id)y@b', []],
    ['password=abcdefgh&&sh<run.sh', ['abcdefgh']],
    ['password=abcdefgh|sh', ['abcdefgh']],
    ['secret: ../../etc/shadow', []],
    ['token=$(cat x); api_key=`id`12345678', []],
    ['https://ada:p%40ssword@db', ['40ssword']],
    [
      'https://hooks.slack.com/services/T0000000/B0000000/abcdefghijkl',
      ['T0000000', 'B0000000', 'abcdefghijkl'],
    ],
    [`-----BEGIN PRIVATE KEY-----\n${letters}\nsh\nrun\n-----END PRIVATE KEY-----`, [letters]],
  ])('covers nothing that a shell, an address or a path gives meaning to: %s', (text, values) => {
    const found = findSecrets(text).map(({ start, end }) => text.slice(start, end))
    expect(found).toEqual(values)
    for (const value of found) expect(value).toMatch(/^[\w+=.-]+$/)
  })

  it.each([
    'the password must be changed',
    'password: ${DB_PASSWORD}',
    'https://example.com/a:b',
    'sk-1',
    `sha256:${'0123456789abcdef'.repeat(4)}`,
    'const token = tokens.next()',
    'Say sk-proj-… in the example',
    '"password": "Enter…"',
    "accessToken: 'Saving…'",
    'http://localhost:4400…',
    'Bearer …, SG.x…, eyJhbGciOiJI.eyJ…, ghp_abc…',
  ])('leaves %j alone', (text) => {
    expect(findSecrets(text)).toEqual([])
  })

  it('covers base64 of random bytes as a whole, with its slashes, in each kind of secret', () => {
    const key = ['wJalrXUtnFEMI', 'K7MDENG', 'bPxRfiCYEXAMPLEKEY'].join('/')
    const random = (length: number) =>
      fc
        .array(fc.constantFrom(...base64), { minLength: length, maxLength: length })
        .map((characters) => characters.join(''))
    const places = [
      ['aws_secret_access_key = ', '\n'],
      ['{"secretAccessKey":"', '"}'],
      ['Authorization: Bearer ', '; x'],
      ['Use the account key: ', '. It is new'],
    ] as const
    const check = (value: string): void => {
      for (const [before, after] of places) {
        const found = findSecrets(before + value + after)
        expect(found).toMatchObject([{ start: before.length, end: before.length + value.length }])
      }
    }
    check(key)
    for (const [before] of places) {
      const masked = maskSecrets(`${before}${key.slice(0, -8)}…`)
      expect(masked).toMatch(/\[.*, 32 characters, sha256:.*\]…?$/)
    }
    fc.assert(fc.property(fc.noBias(random(40)), check))
    fc.assert(
      fc.property(fc.noBias(fc.array(random(64), { minLength: 1, maxLength: 9 })), (lines) => {
        const pem = `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----`
        const found = findSecrets(pem).map(({ start, end }) => pem.slice(start, end))
        expect(found).toEqual(lines)
      }),
    )
  })

  it.each([
    'secret: /srv/ada/site/deploy/keys/server/main',
    'secret: docs/start/here/with/Keys2/in/a/team/of/ours',
    'private_key=/Users/grace/Work2/deploy/keys/server',
    `"integrity": "sha512-${'aB3/xY7+'.repeat(10)}=="`,
    `"image": "data:image/png;base64,${'aB3/xY7+'.repeat(10)}"`,
  ])('leaves a path and base64 that is no secret alone: %s', (text) => {
    expect(findSecrets(text)).toEqual([])
  })

  it('returns ordered ranges that do not overlap, for any text, in little time', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(...samples.map(([, value]) => value)),
      fc.constantFrom('password=', '-----BEGIN PRIVATE KEY-----', 'eyJ', 'x:'.repeat(50), '://'),
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('')
        let last = 0
        for (const { start, end } of findSecrets(text)) {
          expect(start).toBeGreaterThanOrEqual(last)
          expect(end).toBeGreaterThan(start)
          last = end
        }
        expect(last).toBeLessThanOrEqual(text.length)
      }),
    )
    for (const repeated of [
      'password=',
      'eyJaaaaaaaaa.',
      '-----BEGIN PRIVATE KEY-----A',
      'a://b:',
    ]) {
      const started = performance.now()
      findSecrets(repeated.repeat(Math.ceil(200_000 / repeated.length)))
      expect(performance.now() - started, repeated).toBeLessThan(30_000)
    }
  })
})

// Rules: security.md 20
describe('chippedSecrets', () => {
  it('are those of at most 200 characters', () => {
    const short = `Bearer ${letters}`
    const long = `Bearer ${letters.repeat(6)}`
    expect(chippedSecrets(`${short} ${long}`)).toEqual(findSecrets(short))
  })
})

// Rules: security.md 27
it.each([
  'eyJ-',
  'sk-eyJ-',
  '-----BEGIN PRIVATE KEY-----A',
  'secret: .',
  'AIza-',
  'a.b-c+',
  'SG.',
  'SG.a.b.',
  'hf_-',
  'ghp_a-',
  'xoxb-',
  'eyJaaaaaaaaa.b',
  'x://a:…b',
  'secret:aB3/',
])('a text of repeated %j takes time in proportion to its length', (bit) => {
  const text = bit.repeat(Math.ceil(50_000 / bit.length))
  // Processor time: another process may have the core. The best of three, for the compiler.
  const times = [0, 1, 2].map(() => {
    const before = process.threadCpuUsage()
    findSecrets(text)
    findSecretsOfExcerpt(text)
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  })
  expect(Math.min(...times)).toBeLessThan(100)
})

// Rules: security.md 20
describe('maskSecrets', () => {
  it('masks the private key in a text that was cut within it, with a mark or without', () => {
    const line = letters.repeat(2).slice(0, 64)
    const of = (kind: string): string => `-----${kind} RSA PRIVATE KEY-----`
    const whole = `use ${of('BEGIN')}\n${`${line}\n`.repeat(3)}${of('END')}`
    const from = whole.indexOf(line) + 12
    for (let length = from; length < whole.length; length += 1) {
      for (const mark of ['', '…', '… (12 more characters)']) {
        const cut = maskSecrets(whole.slice(0, length) + mark)
        expect(cut).toContain('[private key')
        expect(cut).not.toContain(line.slice(0, 12))
      }
    }
  })

  it.each(samples)(
    'masks what is left of a %s in a text that was cut, wherever it was',
    (_, value) => {
      const [prefix = ''] =
        /^(?:cs_0+_|github_pat_|sk_live_|sk-proj-|sk-ant-|xoxb-|glpat-|eyJ.*?\.|[A-Za-z]{3,4}_?)/.exec(
          value,
        ) ?? []
      const from = prefix.length + 3
      for (let length = from; length < value.length; length += 1) {
        for (const [before, after] of [
          ['use ', '…'],
          ['Run “curl -H ', '…” in the workspace'],
        ] as const) {
          const cut = value.slice(0, length)
          const masked = maskSecrets(before + cut + after)
          expect(masked, cut).not.toContain(cut.slice(-3))
          expect(masked.startsWith(`${before}[`), masked).toBe(true)
          expect(masked.replace('].…', ']…').endsWith(`]${after}`), masked).toBe(true)
        }
      }
    },
  )

  it.each([
    ['deploy with password: hunt…', 'hunt'],
    ['header Bearer abcdef123…', 'abcdef123'],
    ['psql postgres://ada:s3cr3t-w…', 's3cr3t-w'],
    ['post to https://hooks.slack.com/services/T0000000/B0000000/abc…', 'T0000000'],
  ])('masks the half of a value in %j', (text, value) => {
    expect(maskSecrets(text)).not.toContain(value)
  })

  it('replaces the value by its kind, length and hash, and leaves the rest', () => {
    const value = `ghp_${letters.slice(0, 36)}`
    const masked = maskSecrets(`use ${value} now`)
    expect(masked).toBe(`use [GitHub token, 40 characters, ${hashBytes(value).slice(0, 19)}…] now`)
    expect(maskSecrets('nothing here')).toBe('nothing here')
  })
})
