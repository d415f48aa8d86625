import { generateKeyPairSync } from 'node:crypto'
import { signStatement } from '#domain/statements/statement-bytes.ts'
import { logFileNames, logPartNames, partPath } from '#evidence/bundle/log-files.ts'
import { formatStatementKeys } from '#evidence/bundle/statement-keys.ts'
import type { ArchivedFile } from '#evidence/bundle/tar.ts'
import { leafHash } from '#evidence/merkle/tree-hash.ts'
import { rangeHash } from '#evidence/merkle/tree-range.ts'
import { formatCheckpoint } from '#evidence/note/checkpoint.ts'
import { noteKey, type NoteKey } from '#evidence/note/note-key.ts'
import { formatNote, signText } from '#evidence/note/signed-note.ts'
import { encodeEntries } from '#evidence/tiles/entry-bundle.ts'
import {
  entriesPath,
  tileHeight,
  tilePath,
  tilesOfLevel,
  tileWidth,
} from '#evidence/tiles/tile-path.ts'
import { CompactTree } from '#evidence/verify/log/compact-tree.ts'
import type { StoredStatement } from '#evidence/bundle/statements.ts'
import { asRequest, legalTrail, type TrailEvent } from '#evidence/verify/trail.fixture.ts'

/** A full export of `runs` runs, each with a write that two people approved; and its key. */
export function generateLog(runs: number): { key: NoteKey; files: ArchivedFile[]; events: number } {
  const statementKeys = generateKeyPairSync('ed25519')
  const statementSigner = { keyId: 'bench', privateKey: statementKeys.privateKey }
  const logKeys = generateKeyPairSync('ed25519')
  const signer = {
    key: noteKey('countersign/bench', logKeys.publicKey),
    privateKey: logKeys.privateKey,
  }
  const trail = Array.from({ length: runs }, (_, run) => legalTrail().map(renameEvent(run))).flat()
  const texts = asRequest(trail)
  const statements = trail.flatMap((event): StoredStatement[] => {
    if (event.type === 'run.started') {
      const runStatement = { runId: event.runId, startedBy: event.detail['startedBy'] }
      return [{ kind: 'run' as const, ...signStatement(statementSigner, 'run', runStatement) }]
    }
    if (event.type !== 'permit.issued') return []
    const { requestId, runId, digest, detail } = event
    const { permitId, attempt, expiresAt, revision, factsDigest, counted: countedVotes } = detail
    const deciders = (countedVotes as { personId: string }[]).map(({ personId }) => personId)
    const about = { permitId, requestId, runId, digest, policyDigest: null, attempt, expiresAt }
    const runStatement = { ...about, revision, factsDigest, decision: 'approve', deciders }
    return [{ kind: 'permit' as const, ...signStatement(statementSigner, 'permit', runStatement) }]
  })
  const tree = new CompactTree(Buffer.concat(texts.map((text) => leafHash(text))))
  const root = rangeHash({ begin: 0, end: texts.length }, tree.nodeAt)
  const text = formatCheckpoint({
    origin: signer.key.name,
    size: texts.length,
    root,
    extensions: [],
  })
  const verifier = { publicKeys: new Map([['bench', statementKeys.publicKey]]) }
  const note = formatNote({ text, signatures: [signText(text, signer)] })
  const lines = statements.map((statement) => `${JSON.stringify(statement)}\n`).join('')
  const files = [
    fileOf(logFileNames.checkpoint, note),
    fileOf(logFileNames.keys, formatStatementKeys(verifier, signer)),
    fileOf(partPath(logPartNames.statements, 0), lines),
    ...tilesOfLevel(0, texts.length).map((tile) => {
      const own = texts.slice(tile.index * tileWidth, tile.index * tileWidth + tile.width)
      return { path: entriesPath(tile), bytes: encodeEntries(own.map((one) => Buffer.from(one))) }
    }),
    ...hashTiles(tree),
  ]
  return { key: signer.key, files, events: texts.length }
}

function hashTiles(tree: CompactTree): ArchivedFile[] {
  const files: ArchivedFile[] = []
  for (let level = 0; tileWidth ** level <= tree.size; level += 1) {
    for (const tile of tilesOfLevel(level, tree.size)) {
      const begin = tile.index * tileWidth
      const bytes = tree.hashes(level * tileHeight, begin, tile.width)
      files.push({ path: tilePath(tile), bytes })
    }
  }
  return files
}

/** Copies events for another run, with other ids and another digest. */
function renameEvent(run: number): (event: TrailEvent) => TrailEvent {
  const other = (id: string): string => `${id}-${run}`
  return ({ runId, requestId, callId, digest, detail, ...event }) => ({
    ...event,
    ...(runId === undefined ? {} : { runId: other(runId) }),
    ...(requestId === undefined ? {} : { requestId: other(requestId) }),
    ...(callId === undefined ? {} : { callId: other(callId) }),
    ...(digest === undefined ? {} : { digest: other(digest) }),
    detail:
      typeof detail['permitId'] === 'string'
        ? { ...detail, permitId: other(detail['permitId']) }
        : detail,
  })
}

function fileOf(path: string, text: string): ArchivedFile {
  return { path, bytes: Buffer.from(text) }
}
