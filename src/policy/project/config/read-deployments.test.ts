import { expect, test } from 'vitest'
import { parseConfig } from '#test/harness/fixtures/project.ts'

const head = `version: 1
teams: { platform: { members: [ada@example.com] } }
queues: { platform: { team: platform } }
`

function parse(shop: string) {
  const { config, problems } = parseConfig(`${head}deployments: { shop: { ${shop} } }\n`)
  if (config !== null) return { setting: config.deployments.get('shop') }
  return { problems: problems.map(({ problem }) => problem) }
}

const secrets = 'secret: "${SHOP_SECRET}", key: "${SHOP_KEY}"'
const app = 'appId: 4711, privateKey: "${SHOP_APP_KEY}"'
const repositories = 'repositories: { Acme/Shop: 1296269 }'
const who = `${repositories}, people: { 583231: ada@example.com, "49699333": nobody }`

test('an entry names its secrets by variables, the ids of its repositories, and the address of each account', () => {
  expect(parse(`${secrets}, ${app}, ${who}, queue: platform`).setting).toEqual({
    name: 'shop',
    secretFrom: 'SHOP_SECRET',
    keyFrom: 'SHOP_KEY',
    answersAs: { kind: 'app', appId: 4711, privateKeyFrom: 'SHOP_APP_KEY' },
    repositories: new Map([['acme/shop', 1296269]]),
    people: new Map([
      [583231, 'ada@example.com'],
      [49699333, null],
    ]),
    queue: 'platform',
    apiUrl: 'https://api.github.com',
    source: 'countersign.yaml:4',
  })
  const other = `${secrets}, token: "\${SHOP_TOKEN}", ${who}, apiUrl: "https://ghe.example.com/api/v3/"`
  expect(parse(other).setting).toMatchObject({
    answersAs: { kind: 'token', tokenFrom: 'SHOP_TOKEN' },
    apiUrl: 'https://ghe.example.com/api/v3',
  })
})

test.each([
  ['no secret', `key: "\${SHOP_KEY}", ${app}, ${who}`, 'has no "secret"'],
  ['no key', `secret: "\${SHOP_SECRET}", ${app}, ${who}`, 'has no "key"'],
  [
    'a secret itself',
    `secret: hunter2, key: "\${K}", ${app}, ${who}`,
    'is not an environment variable',
  ],
  ['no way to answer', `${secrets}, ${who}`, 'does not say how GitHub is answered'],
  [
    'two ways to answer',
    `${secrets}, ${app}, token: "\${T}", ${who}`,
    'does not say how GitHub is answered',
  ],
  [
    'an app without a key',
    `${secrets}, appId: 4711, ${who}`,
    'does not say how GitHub is answered',
  ],
  ['no repositories', `${secrets}, ${app}, people: {}`, 'has no "repositories"'],
  [
    'a repository that is none',
    `${secrets}, ${app}, repositories: { "../x": 7 }, people: {}`,
    'is for "../x", which is no repository',
  ],
  [
    'a repository in two spellings',
    `${secrets}, ${app}, repositories: { Acme/Shop: 1, acme/shop: 2 }, people: {}`,
    '"deployments.shop.repositories.acme/shop" names acme/shop twice',
  ],
  [
    'a repository without its id',
    `${secrets}, ${app}, repositories: { acme/shop: "main" }, people: {}`,
    '"deployments.shop.repositories.acme/shop" is "main"',
  ],
  [
    'a login instead of an id',
    `${secrets}, ${app}, ${repositories}, people: { octocat: ada@example.com }`,
    'is for "octocat", which is no id of an account',
  ],
  ['no repository', `${secrets}, ${app}, repositories: {}, people: {}`, 'is empty'],
  ['nobody known', `${secrets}, ${app}, ${repositories}`, 'has no "people"'],
  [
    'a stranger',
    `${secrets}, ${app}, ${repositories}, people: { 7: eve@example.com }`,
    'is eve@example.com, whom this file does not name',
  ],
  [
    'a queue that is none',
    `${secrets}, ${app}, ${who}, queue: other`,
    'names the queue "other", which is not defined',
  ],
  [
    'an address with a password',
    `${secrets}, ${app}, ${who}, apiUrl: "https://a:b@ghe.example.com"`,
    'not the address of an API',
  ],
])('%s is refused', (_what, shop, problem) => {
  expect(parse(shop).problems?.join('\n')).toContain(problem)
})
