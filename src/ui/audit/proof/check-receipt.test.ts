import { createHash, generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { inclusionProof } from '#evidence/merkle/inclusion-proof.ts'
import { leafHash } from '#evidence/merkle/tree-hash.ts'
import { treeOfLeaves, treeRoot } from '#evidence/merkle/tree-of-leaves.ts'
import { formatCheckpoint } from '#evidence/note/checkpoint.ts'
import { formatVerifierKey, noteKey } from '#evidence/note/note-key.ts'
import { formatNote, signText } from '#evidence/note/signed-note.ts'
import { checkReceipt } from './check-receipt.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const signer = { key: noteKey('countersign/test', publicKey), privateKey }
const vkey = formatVerifierKey(signer.key)

/** A log of `size` events, of which those of one request are chained, signed by the log's key. */
function receiptOf(size: number, places: readonly number[]) {
  let previous: string | null = null
  const documents = Array.from({ length: size }, (_, index) => {
    const sequence = places.indexOf(index) + 1
    if (sequence === 0) return JSON.stringify({ place: index })
    const document = JSON.stringify({ previous, sequence, words: 'é' })
    previous = `sha256:${createHash('sha256').update(document).digest('hex')}`
    return document
  })
  const leaves = documents.map((document) => leafHash(Buffer.from(document)))
  const root = treeRoot(leaves)
  const text = formatCheckpoint({ origin: signer.key.name, size, root, extensions: [] })
  const tree = treeOfLeaves(leaves)
  return {
    checkpoint: formatNote({ text, signatures: [signText(text, signer)] }),
    vkey,
    events: places.map((index) => ({
      index,
      event: documents[index] ?? '',
      proof: inclusionProof(index, size, tree).map((hash) => hash.toString('base64')),
    })),
    waiting: 0,
  }
}

const holds = {
  checkpoint: { signer: 'countersign/test' },
  notIncluded: [],
  isChained: true,
  differing: 0,
  newer: 0,
}

/** The events as the service lists them. */
function listedIn(receipt: { events: readonly { event: string }[] }): object[] {
  return receipt.events.map(({ event }) => JSON.parse(event) as object)
}

test('every leaf of trees of 1 to 33 events is verified as the service proves it', async () => {
  for (let size = 1; size <= 33; size += 1) {
    const places = Array.from({ length: size }, (_, index) => index)
    const receipt = receiptOf(size, places)
    const checked = await checkReceipt(receipt, listedIn(receipt))
    expect(checked).toMatchObject({ ...holds, events: size })
  }
})

test('an event with one changed byte is not in the log, and breaks the chain', async () => {
  const receipt = receiptOf(9, [2, 5, 8])
  const events = receipt.events.map((event, index) =>
    index === 1 ? { ...event, event: event.event.replace('é', 'è') } : event,
  )
  expect(await checkReceipt({ ...receipt, events }, [])).toMatchObject({
    notIncluded: [5],
    isChained: false,
  })
})

test('a proof for another index, a shortened or extended proof, and one in an invalid form prove nothing', async () => {
  const receipt = receiptOf(9, [2])
  const [event] = receipt.events
  if (event === undefined) throw new Error('the receipt has an event')
  const { proof } = event
  const forged = [
    { ...event, index: 3 },
    { ...event, index: -1 },
    { ...event, index: 9 },
    { ...event, proof: proof.slice(1) },
    { ...event, proof: [...proof, ...proof.slice(0, 1)] },
    { ...event, proof: ['%', ...proof.slice(1)] },
    { ...event, proof: [`${proof[0]} `, ...proof.slice(1)] },
  ]
  for (const each of forged) {
    const { notIncluded } = await checkReceipt({ ...receipt, events: [each] }, [])
    expect(notIncluded).toEqual([each.index])
  }
})

test('a text that is no event is not in the log, and breaks the chain', async () => {
  const receipt = receiptOf(9, [2, 5])
  for (const event of ['', 'no JSON', 'null', '[]', '"text"']) {
    const events = receipt.events.map((each, index) => (index === 1 ? { ...each, event } : each))
    expect(await checkReceipt({ ...receipt, events }, [])).toMatchObject({
      notIncluded: [5],
      isChained: false,
    })
  }
})

test('an event that the page shows with other words, adds or leaves out is counted, whatever the service says is not signed yet', async () => {
  const receipt = { ...receiptOf(9, [2, 5, 8]), waiting: 1 }
  const [first = {}, second = {}, third = {}] = listedIn(receipt)
  const differing = async (...pageEvents: object[]) =>
    (await checkReceipt(receipt, pageEvents)).differing
  const newer = { sequence: 4, words: 'not signed yet' }
  expect(await differing(first, second, third, newer)).toBe(0)
  expect(await differing(first, { ...second, words: 'è' }, third)).toBe(1)
  expect(await differing(first, third)).toBe(1)
  expect(await checkReceipt(receipt, [first, second])).toMatchObject({ differing: 0, newer: 1 })
  expect(await differing(first, second, third, { ...second, words: 'è' })).toBe(1)
  expect(await differing(first, second, third, newer, { ...newer, sequence: 5 })).toBe(1)
})

test('the first events count as older while the page can load them, and as left out once it cannot', async () => {
  const receipt = receiptOf(9, [2, 5, 8])
  const [, , third = {}] = listedIn(receipt)
  const counts = async (events: object[], hasOlder: boolean) => {
    const { differing, newer, older } = await checkReceipt(receipt, events, hasOlder)
    return { differing, newer, older }
  }
  expect(await counts([third], true)).toEqual({ differing: 0, newer: 0, older: 2 })
  expect(await counts([third], false)).toEqual({ differing: 2, newer: 0, older: 0 })
  expect(await counts([], true)).toEqual({ differing: 0, newer: 3, older: 0 })
})

test('an event that was left out in between breaks the chain', async () => {
  const receipt = receiptOf(9, [2, 5, 8])
  const events = receipt.events.filter((_, index) => index !== 1)
  expect(await checkReceipt({ ...receipt, events }, [])).toMatchObject({
    notIncluded: [],
    isChained: false,
  })
})

test('a checkpoint of another key, of another text or of another name proves nothing', async () => {
  const receipt = receiptOf(9, [2])
  const other = noteKey('countersign/test', generateKeyPairSync('ed25519').publicKey)
  const forged = [
    { vkey: formatVerifierKey(other) },
    { vkey: vkey.replace('test', 'tost') },
    { vkey: 'nonsense' },
    { checkpoint: receipt.checkpoint.replace('\n9\n', '\n8\n') },
    { checkpoint: receipt.checkpoint.replace('— countersign/test', '— countersign/tost') },
    { checkpoint: 'no note' },
  ]
  for (const change of forged) {
    expect(await checkReceipt({ ...receipt, ...change }, [])).toMatchObject({
      checkpoint: null,
      notIncluded: [2],
    })
  }
})
