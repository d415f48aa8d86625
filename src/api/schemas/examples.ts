/**
 * What the examples of the OpenAPI document have in common: Ada's run of `release-notes` wants to
 * write `docs/notes.md`, and Grace approves it. Each example is beside its schema, which the tests
 * parse it with.
 */
export const ada = { id: '019cadd2-5c40-7a11-8f3e-2d4b6c8e0f12', name: 'Ada' }
export const grace = { id: '019cadd2-5c41-7b22-9a4f-3e5c7d9f1a23', name: 'Grace' }
export const adasAddress = 'ada@example.com'
export const gracesAddress = 'grace@example.com'

export const runId = '019cae01-7d10-7c33-8b50-4f6d8ea02b34'
export const callId = '019cae01-9e20-7d44-9c61-507e9fb13c45'
export const requestId = '019cae01-9e84-7e55-8d72-618fa0c24d56'
export const decisionId = '019cae0a-1f30-7f66-9e83-7290b1d35e67'
export const otherId = '019cae0a-1f94-7077-8f94-83a1c2e46f78'

export const askedAt = '2026-03-02T09:30:00.000Z'
export const carriedOutAt = '2026-03-02T09:41:13.000Z'
export const expiresAt = '2026-03-05T09:30:00.000Z'

export const worker = 'release-notes'
export const tool = 'write_file'
export const path = 'docs/notes.md'
export const input = { path, content: '# Notes\n' }
export const title = `Write ${path} (new file)`
/** of the call, as it was shown, approved and carried out */
export const digest = 'sha256:5f2c7a0b9d4e8163f0a1b2c3d4e5f60718293a4b5c6d7e8f9011223344556677'
export const otherDigest = 'sha256:08a1b2c3d4e5f60718293a4b5c6d7e8f90112233445566778899aabbccddeeff'
export const keyId = '5d1f0c3b7a9e2468'
