import { expect, test } from 'vitest'
import { isForeignAddress } from './judge-target.ts'

// Rules: security.md 30
test.each([
  '8.8.4.4',
  '::ffff:8.8.4.4',
  '::ffff:808:404',
  '2600::7',
  '2600:0:0:0:0:0:0:7',
  '10.0.0.1',
])('%s leads to this host or a private network, so no command reaches it', (address) => {
  expect(isForeignAddress(address, ['127.0.0.1', '8.8.4.4', '2600::7'])).toBe(false)
  expect(isForeignAddress('8.8.8.8', ['127.0.0.1', '8.8.4.4', '2600::7'])).toBe(true)
})
