import { expect, test } from 'vitest'
import { compareVersions } from '../../../difference/compare-versions.ts'
import { parseProject } from '../../parse-project.ts'

const teams = `teams:
  platform: { members: [grace@example.com, linus@example.com] }
  visitors: {}
queues:
  platform: { team: platform }
  visitors: { team: visitors }
`

function parse(oidc: string, more = '') {
  return parseProject({
    texts: new Map([['countersign.yaml', `version: 1\n${teams}${more}signIn:\n  oidc:\n${oidc}`]]),
    toolFiles: [],
  })
}

const least = '    issuer: https://id.example.com/tenant\n    clientId: countersign\n'

function settingsOf(oidc: string) {
  const parsed = parse(oidc)
  if ('problems' in parsed) throw new Error(parsed.problems.map((one) => one.problem).join('; '))
  return parsed.policy.config.signIn.oidc
}

function problemsOf(oidc: string): string[] {
  const parsed = parse(oidc)
  return 'problems' in parsed
    ? parsed.problems
        .filter((one) => one.severity === 'error')
        .map((one) => `${one.line}: ${one.problem}; ${one.remedy}`)
    : []
}

test('an issuer and a client are enough: a verified address is required, and groups fill no team', () => {
  expect(settingsOf(least)).toEqual({
    issuer: 'https://id.example.com/tenant',
    clientId: 'countersign',
    clientSecretFrom: null,
    scopes: ['openid', 'email', 'profile'],
    label: 'id.example.com',
    emailClaim: 'email',
    requireVerifiedEmail: true,
    groupsClaim: 'groups',
    tokenAudiences: [],
    teams: new Map(),
    source: expect.stringMatching(/^countersign\.yaml:\d+$/),
  })
})

test('every setting is read, with groups of any name', () => {
  const settings = settingsOf(`${least}    clientSecretFrom: OIDC_SECRET
    scopes: [openid, email, groups]
    label: Example Corp
    emailClaim: preferred_username
    requireVerifiedEmail: false
    groupsClaim: https://example.com/groups
    tokenAudiences: [api://7f0c1a, 7f0c1a]
    teams: { "/ops/on call": platform, 7f0c1a: [platform, visitors] }
`)
  expect(settings).toMatchObject({
    clientSecretFrom: 'OIDC_SECRET',
    label: 'Example Corp',
    emailClaim: 'preferred_username',
    requireVerifiedEmail: false,
    groupsClaim: 'https://example.com/groups',
    tokenAudiences: ['api://7f0c1a', '7f0c1a'],
  })
  expect(settings?.teams).toEqual(
    new Map([
      ['/ops/on call', ['platform']],
      ['7f0c1a', ['platform', 'visitors']],
    ]),
  )
})

test('each error has its line and a remedy, and shows no secret', () => {
  const wrong: readonly (readonly [text: string, said: RegExp])[] = [
    ['    clientId: x\n', /has no "issuer"/],
    ['    issuer: https://id.example.com\n', /has no "clientId"/],
    [least.replace('https://', 'http://'), /is not an https:\/\/ address/],
    [least.replace('/tenant', '/tenant?x=1'), /is not an issuer/],
    [`${least}    clientSecretFrom: hunter2-hunter2\n`, /the secret itself never stands/],
    [`${least}    scopes: [email]\n`, /does not have the scope openid/],
    [`${least}    tokenAudiences: ["a b"]\n`, /not a name/],
    [`${least}    teams: { ops: plattform }\n`, /did you mean "platform"/],
    [`${least}    requireVerifiedEmail: "no"\n`, /write true or false/],
    [`${least}    clientSecret: x\n`, /clientSecretFrom/],
  ]
  for (const [text, problem] of wrong) {
    const problems = problemsOf(text).join('\n')
    expect(problems).toMatch(problem)
    expect(problems).not.toContain('hunter2')
  }
})

test('a team that groups fill can be reached, and its members by a group get no rights: a warning says both', () => {
  const parsed = parse(
    `${least}    teams: { guests: visitors }\n`,
    'rights: { readAudit: visitors }\n',
  )
  if ('problems' in parsed) throw new Error('not valid')
  const problems = parsed.warnings.map((one) => one.problem).join('\n')
  expect(problems).not.toContain('queue "visitors" reaches nobody')
  expect(problems).toContain('members by a group have no rights')
})

// Rules: product.md 18
test('a change of who identifies people, or of which groups fill which teams, needs a second person', () => {
  const versionOf = (oidc: string) => {
    const parsed = parse(oidc)
    if ('problems' in parsed) throw new Error('not valid')
    return parsed.policy
  }
  const before = versionOf(least)
  for (const [after, at] of [
    [`${least}    teams: { ops: platform }\n`, 'signIn.oidc.teams.ops'],
    [least.replace('id.example', 'other.example'), 'signIn.oidc.issuer'],
    [`${least}    requireVerifiedEmail: false\n`, 'signIn.oidc.requireVerifiedEmail'],
    [`${least}    emailClaim: upn\n`, 'signIn.oidc.emailClaim'],
  ] as const) {
    const { secondPerson } = compareVersions(before, versionOf(after))
    expect(secondPerson.map((change) => change.at)).toContain(at)
  }
})
