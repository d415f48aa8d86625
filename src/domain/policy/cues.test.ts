import { expect, test } from 'vitest'
import { displayedCues, readStoredCue, type Cue } from './cues.ts'

type Row = Pick<Cue, 'id' | 'text' | 'line' | 'onlyReaches'>

const reaches: Row = {
  id: 'opens_network',
  text: 'Reaches the network: git push',
  line: 2,
  onlyReaches: true,
}
const lacks: Row = { id: 'network_missing', text: 'Needs the network, …: git push', line: 2 }
const lacksElsewhere: Row = { ...lacks, line: 5 }
const opens: Row = {
  id: 'opens_network',
  text: 'Opens the network to others: aws ec2 authorize-security-group-ingress',
  line: 2,
}
const connects: Row = { id: 'opens_network', text: 'Opens a connection: cat', line: 2 }
const money: Row = { id: 'money', text: 'Is about money', line: 2 }

const cases: readonly { name: string; cues: Row[]; hidden: Row[] }[] = [
  { name: 'no cues', cues: [], hidden: [] },
  { name: 'a network that there is', cues: [reaches, money], hidden: [] },
  { name: 'a missing network alone', cues: [lacks], hidden: [] },
  { name: 'both about one line', cues: [money, reaches, lacks], hidden: [reaches] },
  { name: 'both about different lines', cues: [reaches, lacksElsewhere], hidden: [] },
  { name: 'a port that others may reach', cues: [opens, lacks], hidden: [] },
  { name: 'a connection of a shell', cues: [connects, lacks], hidden: [] },
]

// Rules: product.md 38
test.each(cases)(
  'of $name people see all cues except a weaker one of the same line',
  ({ cues, hidden }) => {
    expect(displayedCues(cues)).toEqual(cues.filter((cue) => !hidden.includes(cue)))
  },
)

// Rules: product.md 38
test('a cue that an earlier version stored reaches the network or opens it by its text', () => {
  const { id, text, line = 2 } = reaches
  expect(readStoredCue({ id, text, line })).toEqual({ ...reaches, level: 'notice' })
  for (const one of [reaches, opens, connects, lacks, money]) {
    expect(readStoredCue(one)).toEqual({ ...one, level: 'notice' })
  }
})
