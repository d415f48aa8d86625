import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { consistencyProof, verifyConsistency } from './consistency-proof.ts'
import { GrowingTree } from './growing-tree.ts'
import { inclusionProof, verifyInclusion } from './inclusion-proof.ts'
import { emptyTreeHash, leafHash } from './tree-hash.ts'
import { treeOfLeaves, treeRoot } from './tree-of-leaves.ts'

/** Inputs, roots and proofs of Certificate Transparency's tests (RFC 6962). */
const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657'].concat(
  '606162636465666768696a6b6c6d6e6f',
)
const roots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]
const a = '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7'
const b = '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e'
const c = '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4'
const d = 'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b'
const e = 'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0'
const f = '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a'

const leaves = inputs.map((hex) => leafHash(Buffer.from(hex, 'hex')))
const tree = treeOfLeaves(leaves)
const hexOf = (hashes: readonly Uint8Array[]) =>
  hashes.map((hash) => Buffer.from(hash).toString('hex'))
const rootOf = (size: number) => treeRoot(leaves.slice(0, size))

describe('a tree of leaves', () => {
  it('has the published root at every size', () => {
    expect(hexOf(roots.map((_, size) => rootOf(size)))).toEqual(roots)
    expect(rootOf(0)).toEqual(emptyTreeHash())
  })

  it('has the same roots when its leaves are appended one by one', () => {
    const tree = new GrowingTree()
    const found = [tree.root()]
    for (const leaf of leaves) {
      tree.append(leaf)
      found.push(tree.root())
    }
    expect(hexOf(found)).toEqual(roots)
    expect(tree.size).toBe(leaves.length)
  })

  it.each([
    [0, 8, [a, b, c]],
    [5, 8, [d, e, roots[4]]],
    [2, 3, [roots[2]]],
    [1, 5, [roots[1], b, d]],
  ])('proves leaf %i of %i by the published path', (index, size, path) => {
    expect(hexOf(inclusionProof(index, size, tree))).toEqual(path)
  })

  it.each([
    [1, 1, []],
    [1, 8, [a, b, c]],
    [6, 8, [f, e, roots[4]]],
    [2, 5, [b, d]],
  ])(
    'of %i leaves is proved to be the beginning of that of %i by the published path',
    (from, size, path) => {
      expect(hexOf(consistencyProof(from, size, tree))).toEqual(path)
    },
  )
})

const some = Array.from({ length: 70 }, (_, index) => leafHash(String(index)))
const someTree = treeOfLeaves(some)
const sizes = fc
  .tuple(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 0, max: 70 }))
  .map((pair) => pair.toSorted((one, other) => one - other) as [number, number])
const flipped = (hash: Uint8Array) => Buffer.from(hash).map((byte) => byte ^ 1)

describe('a proof', () => {
  it('of inclusion holds for its leaf, index, size and root, and for no other', () => {
    fc.assert(
      fc.property(sizes, ([index, size]) => {
        fc.pre(index < size)
        const leaf = some[index] ?? emptyTreeHash()
        const root = treeRoot(some.slice(0, size))
        const proof = inclusionProof(index, size, someTree)
        const claim = { index, size, leaf, root, proof }
        expect(verifyInclusion(claim)).toBe(true)
        expect(verifyInclusion({ ...claim, leaf: flipped(leaf) })).toBe(false)
        expect(verifyInclusion({ ...claim, root: flipped(root) })).toBe(false)
        expect(verifyInclusion({ ...claim, index: index + 1 })).toBe(false)
        expect(verifyInclusion({ ...claim, proof: [...proof, leaf] })).toBe(false)
        expect(verifyInclusion({ ...claim, proof: proof.slice(1) })).toBe(proof.length === 0)
        for (const place of proof.keys()) {
          const changed = proof.map((hash, at) => (at === place ? flipped(hash) : hash))
          expect(verifyInclusion({ ...claim, proof: changed })).toBe(false)
        }
      }),
    )
  })

  it('of consistency holds between two sizes of one tree, and for no other roots', () => {
    fc.assert(
      fc.property(sizes, ([from, size]) => {
        const fromRoot = treeRoot(some.slice(0, from))
        const root = treeRoot(some.slice(0, size))
        const proof = consistencyProof(from, size, someTree)
        const claim = { from, fromRoot, size, root, proof }
        expect(verifyConsistency(claim)).toBe(true)
        expect(verifyConsistency({ ...claim, fromRoot: flipped(fromRoot) })).toBe(false)
        if (from > 0) expect(verifyConsistency({ ...claim, root: flipped(root) })).toBe(false)
        expect(verifyConsistency({ ...claim, from: size, size: from })).toBe(from === size)
        expect(verifyConsistency({ ...claim, proof: [...proof, root] })).toBe(false)
        for (const place of proof.keys()) {
          const changed = proof.map((hash, at) => (at === place ? flipped(hash) : hash))
          expect(verifyConsistency({ ...claim, proof: changed })).toBe(false)
        }
      }),
    )
  })

  it('with invalid numbers is refused without an exception', () => {
    const claim = { leaf: emptyTreeHash(), root: emptyTreeHash(), proof: [] }
    for (const [index, size] of [
      [-1, 1],
      [0, 0],
      [1, 1],
      [0.5, 1],
      [NaN, NaN],
    ] as const) {
      expect(verifyInclusion({ ...claim, index, size })).toBe(false)
      const fromRoot = emptyTreeHash()
      expect(verifyConsistency({ ...claim, from: size + 1, fromRoot, size })).toBe(false)
    }
  })
})
