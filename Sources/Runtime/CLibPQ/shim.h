#ifndef MODELC_CLIBPQ_SHIM_H
#define MODELC_CLIBPQ_SHIM_H

#include <libpq-fe.h>

// Swift does not import character constants as numbers.

/// The fields of an error, as `PQresultErrorField` names them.
enum modelc_pq_field {
    modelc_pq_severity = PG_DIAG_SEVERITY_NONLOCALIZED,
    modelc_pq_sqlstate = PG_DIAG_SQLSTATE,
    modelc_pq_message = PG_DIAG_MESSAGE_PRIMARY,
    modelc_pq_detail = PG_DIAG_MESSAGE_DETAIL,
    modelc_pq_hint = PG_DIAG_MESSAGE_HINT,
    modelc_pq_schema = PG_DIAG_SCHEMA_NAME,
    modelc_pq_table = PG_DIAG_TABLE_NAME,
    modelc_pq_column = PG_DIAG_COLUMN_NAME,
    modelc_pq_constraint = PG_DIAG_CONSTRAINT_NAME,
};

/// A receiver that drops notices; libpq prints them to the standard error stream by default.
static inline void modelc_pq_drop_notice(void *context, const PGresult *result) {
    (void)context;
    (void)result;
}

/// Keeps a connection from printing notices.
static inline void modelc_pq_silence(PGconn *connection) {
    PQsetNoticeReceiver(connection, modelc_pq_drop_notice, NULL);
}

#endif
