import { useState, type ClipboardEvent } from 'react'
import { limits } from '#domain/limits.ts'
import { binarySize } from '#domain/text/binary-size.ts'

/** A file for the next message, in the form of the API. */
export interface FileToSend {
  readonly name: string
  readonly mediaType: string
  /** base64 */
  readonly data: string
  readonly bytes: number
}

/** The chosen and pasted files for the next message. They are lost when the page closes. */
export function useSentFiles() {
  const [files, setFiles] = useState<readonly FileToSend[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  const add = async (additions: readonly File[]): Promise<void> => {
    const all = [...files, ...(await Promise.all(additions.map(readChosen)))]
    const bytes = all.reduce((sum, file) => sum + file.bytes, 0)
    const wrong =
      all.length > limits.filesOfMessage
        ? `At most ${limits.filesOfMessage} files go with a message.`
        : bytes > limits.filesOfMessageBytes
          ? `The files of a message have at most ${binarySize(limits.filesOfMessageBytes)} together.`
          : null
    setProblem(wrong)
    if (wrong === null) setFiles(all)
  }
  const remove = (at: number): void => {
    setProblem(null)
    setFiles((before) => before.filter((_, index) => index !== at))
  }
  const clear = (): void => setFiles([])
  /** Takes a picture from the clipboard; pasted text goes into the field as usual. */
  const paste = (event: ClipboardEvent): void => {
    const pasted = [...event.clipboardData.files]
    if (pasted.length === 0) return
    event.preventDefault()
    void add(pasted)
  }
  const body = files.length === 0 ? {} : { files: files.map(withoutSize) }
  return { files, problem, add, remove, clear, paste, body }
}

export type SentFiles = ReturnType<typeof useSentFiles>

/** A file without a type may be text. The service checks the type against the bytes. */
async function readChosen(file: File): Promise<FileToSend> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  }
  const mediaType = file.type === '' ? 'text/plain' : file.type
  return { name: file.name, mediaType, data: btoa(binary), bytes: bytes.length }
}

function withoutSize({ name, mediaType, data }: FileToSend) {
  return { name, mediaType, data }
}
