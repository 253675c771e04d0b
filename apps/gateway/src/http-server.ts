import type { Duplex } from 'node:stream';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApiError } from './api-error.js';
import { newRequestId } from './request-id.js';

const BODY_MAX_BYTES = 1024 * 1024;
// As long as the whole head of a request may be, so that no path is refused before the door.
const PARAM_MAX_LENGTH = 16 * 1024;

/** The HTTP server under Nest: ids, sizes, and a JSON reader that refuses nothing which JSON allows. */
export function httpServer(): FastifyAdapter {
  const adapter = new FastifyAdapter({
    genReqId: newRequestId,
    bodyLimit: BODY_MAX_BYTES,
    routerOptions: { maxParamLength: PARAM_MAX_LENGTH },
    rewriteUrl: ({ url = '/' }) => decodable(url),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => refuseUnread(error, socket),
  });
  const server = adapter.getInstance();
  // JSON is the only content type there is; everything else is 415.
  server.removeAllContentTypeParsers();
  // Fastify's own reader refuses the field `__proto__`, which validation ignores like any other unknown one.
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, JSON.parse(body as string));
    } catch {
      done(ApiError.invalid([{ field: 'body', message: 'The body is not valid JSON' }]));
    }
  });
  return adapter;
}

/** What is no HTTP gets no further than the parser, and is answered like everything else that is refused. */
function refuseUnread({ code }: Error & { code?: string }, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const isTooLong = code === 'HPE_HEADER_OVERFLOW';
  const { body } = ApiError.invalid([
    isTooLong ? { field: 'headers', message: 'The headers are too long' } : { field: 'request', message: 'This is not HTTP' },
  ]);
  const text = JSON.stringify(body);
  const headers = [
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${newRequestId()}`,
    'Connection: close',
  ];
  socket.end(`HTTP/1.1 ${isTooLong ? '431 Request Header Fields Too Large' : '400 Bad Request'}\r\n${headers.join('\r\n')}\r\n\r\n${text}`);
}

/** A path with a broken escape becomes one that simply matches nothing, so that it passes the door like any other. */
function decodable(url: string): string {
  try {
    decodeURI(url.split('?')[0] ?? '');
    return url;
  } catch {
    return url.replace(/%(?![0-9A-Fa-f]{2})|%(?=[89A-Fa-f])/g, '%25');
  }
}
