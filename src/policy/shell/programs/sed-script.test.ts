import { expect, test } from 'vitest'
import { sedProblem } from './sed-script.ts'

// Rules: security.md 27
test.each(['[^a]', '[]a]', '[^]a]', '[[:a:]]', '[[:', '[', '[^', '[]', '\\a', 'a'])(
  'an expression that repeats %s without an end is refused in linear time',
  (part) => {
    const expression = part.repeat(2000)
    const begun = process.threadCpuUsage()
    for (const script of [
      `s/${expression}`,
      `s/a/${expression}`,
      `/${expression}`,
      `y|${expression}`,
    ]) {
      expect(sedProblem([script], 0)).not.toBeNull()
    }
    expect(process.threadCpuUsage(begun).user).toBeLessThan(2_000_000)
  },
)
