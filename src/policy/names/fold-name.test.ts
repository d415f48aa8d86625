import { expect, test } from 'vitest'
import { foldName } from './fold-name.ts'
import { protectedName } from './protected-names.ts'
import { secretName } from './secret-names.ts'

// Rules: security.md 8
test.each([
  ['.GIT', '.git'],
  ['.ｇｉｔ', '.git'],
  ['.gіt', '.git'],
  ['.g\u200bit', '.git'],
  ['.g\u0131t', '.git'],
  ['.gı\u0307t', '.git'],
  ['․git', '.git'],
  ['.git.', '.git'],
  ['.git ', '.git'],
  ['.ſsh', '.ssh'],
  ['ＩＤ_ＲＳＡ', 'id_rsa'],
  ['Jеnkіnsfіle', 'jenkinsfile'],
  ['.claudе', '.claude'],
  ['Ⓐgents.md', 'agents.md'],
])('%j is compared as %j', (name, folded) => {
  expect(foldName(name)).toBe(folded)
})

test('a letter is folded alike in a plain name and beside other letters', () => {
  const printable = Array.from({ length: 0x7f - 0x20 }, (_, at) => String.fromCharCode(0x20 + at))
  for (const letter of printable) {
    expect(foldName(`${letter}e`)).toBe(foldName(`${letter}é`))
    expect(foldName(`e${letter}`)).toBe(foldName(`é${letter}`))
  }
})

test('folding a folded name changes nothing', () => {
  for (const name of ['.gіt', 'ﬁle', 'İstanbul', 'straße', 'Ω', '漢字', '😀.md']) {
    expect(foldName(foldName(name))).toBe(foldName(name))
  }
})

test('names in other languages are not folded to a protected name', () => {
  for (const name of ['документ.md', 'ελλάδα.txt', '漢字.md', 'naïve.md', 'readme.md']) {
    expect(protectedName(`notes/${name}`)).toBeNull()
  }
})

test.each([
  ['.env', '.env'],
  ['a/b/.ENV.local', '.env.local'],
  ['home/.ssh/config', '.ssh'],
  ['id_ed25519', 'id_ed25519'],
  ['certs/Server.PEM', 'server.pem'],
  ['.aws/credentials', '.aws'],
  ['keys/AuthKey_1.p8', 'authkey_1.p8'],
  ['keys/SubscriptionKey_A1.p8', 'subscriptionkey_a1.p8'],
  ['games/snake.p8', null],
  ['id_ed25519_sk', 'id_ed25519_sk'],
  ['id_ed25519_sk.pub', null],
  ['environment.ts', null],
  ['.ssh', null],
  ['keyboard.ts', null],
])('%s as a key or environment file: %j', (path, name) => {
  expect(secretName(path)).toBe(name)
})
