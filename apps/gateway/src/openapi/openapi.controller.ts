import { Controller, Get, Header } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { RouteSettings } from '../door/route-table.js';
import { openapiDocument } from './document.js';
import { referencePage } from './reference-page.js';

const FOR_AN_HOUR = 'public, max-age=3600';

/** The document of the API, for programs and for people. */
@Controller()
export class OpenapiController {
  private readonly text: string;
  private readonly page: string;

  constructor() {
    const document = openapiDocument();
    this.text = JSON.stringify(document);
    this.page = referencePage(document);
  }

  @Get('/openapi.json')
  @RouteConfig({ open: true } satisfies RouteSettings)
  @Header('content-type', 'application/json; charset=utf-8')
  @Header('cache-control', FOR_AN_HOUR)
  // Pages elsewhere, such as a viewer, may read it: there is nothing secret in it.
  @Header('access-control-allow-origin', '*')
  document(): string {
    return this.text;
  }

  @Get('/docs')
  @RouteConfig({ open: true } satisfies RouteSettings)
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('cache-control', FOR_AN_HOUR)
  @Header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
  @Header('x-content-type-options', 'nosniff')
  reference(): string {
    return this.page;
  }
}
